"""A list of cases, filled by a decorator. `seconds` and `memory_mib` bound every single run of a case."""


class Case:
    def __init__(self, function, seconds, memory_mib, big):
        self.function, self.seconds, self.memory_mib, self.big = function, seconds, memory_mib, big
        self.name = f"{function.__module__.removeprefix('cases_')}: {function.__name__}"


def collector(cases):
    def case(seconds=20, memory_mib=256, big=False):
        def add(function):
            cases.append(Case(function, seconds, memory_mib, big))
            return function
        return add
    return case
