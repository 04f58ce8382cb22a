/* python.exe: all that it is, is a call of its DLL. */
#include <wchar.h>
int Py_Main(int argc, wchar_t** argv);
int wmain(int argc, wchar_t** argv) { return Py_Main(argc, argv); }
