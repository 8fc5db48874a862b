"""A lanewise-compile that builds for all processes of a run (src/base/serve.h).

    python3 tests/runner/served.py BUILD COMMAND...    COMMAND has it, and all that it starts
"""
import os
import socket
import subprocess
import sys


def serve(build):
    """Have one of this build until this process and all that it starts have ended."""
    compiler = os.path.join(os.path.realpath(build), "src", "compile", "lanewise-compile")
    if os.environ.get("LANEWISE_COMPILE_SERVER", "").endswith(":" + compiler):
        return
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    number = theirs.fileno()
    subprocess.run([compiler, "--serve", str(number)], pass_fds=[number], check=True)
    theirs.close()
    number = ours.detach()
    os.set_inheritable(number, True)
    inode = os.fstat(number).st_ino
    os.environ["LANEWISE_COMPILE_SERVER"] = "%d:%d:%s" % (number, inode, compiler)


if __name__ == "__main__":
    serve(sys.argv[1])
    os.execvp(sys.argv[2], sys.argv[2:])
