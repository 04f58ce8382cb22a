# Programs that tests/windows runs under Wine, built by the `windows` preset.
