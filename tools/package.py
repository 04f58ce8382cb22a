"""Packs the built programs: package.py OUT-FOLDER LINUX-PROGRAM WINDOWS-PROGRAM README...

gpuway-VERSION-linux-x86_64.tar.gz and gpuway-VERSION-windows-x86_64.zip, each with one folder that holds the program and the
texts; that for Windows holds the Linux program, too, with which gpuway.exe looks into WSL. The same files give the same bytes: dates, owners and order are fixed."""

import gzip
import io
import pathlib
import subprocess
import sys
import tarfile
import zipfile

LONG_AGO = (1980, 1, 1, 0, 0, 0)   # the first date that a zip knows


def main() -> int:
    out, linux, windows, *texts = map(pathlib.Path, sys.argv[1:])
    version = subprocess.run([linux, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    out.mkdir(parents=True, exist_ok=True)

    archive = out / f"gpuway-{version}-linux-x86_64.tar.gz"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for file, name, mode in [(linux, "gpuway", 0o755), *((text, text.name, 0o644) for text in texts)]:
            info = tarfile.TarInfo(f"gpuway-{version}/{name}")
            info.size, info.mode = file.stat().st_size, mode
            tar.addfile(info, io.BytesIO(file.read_bytes()))
    archive.write_bytes(gzip.compress(packed.getvalue(), 9, mtime=0))

    folder = out / f"gpuway-{version}-windows-x86_64.zip"
    with zipfile.ZipFile(folder, "w", zipfile.ZIP_DEFLATED) as packed_zip:
        for file, name in [(windows, "gpuway.exe"), (linux, "gpuway-linux"), *((text, text.name) for text in texts)]:
            info = zipfile.ZipInfo(f"gpuway-{version}/{name}", LONG_AGO)
            info.compress_type = zipfile.ZIP_DEFLATED
            packed_zip.writestr(info, file.read_bytes())

    for made in (archive, folder):
        print(f"{made}  {made.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
