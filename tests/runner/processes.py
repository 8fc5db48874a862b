"""Processes with a limit of time, which are all ended when the run is."""
import contextlib
import os
import select
import signal
import subprocess
import threading

TIMED_OUT = 124  # the status of timeout(1)


class Processes:
    """Starts processes, each the first of a group of its own, and ends them all when it must."""

    def __init__(self):
        self.lock, self.groups, self.is_over = threading.Lock(), set(), False

    def run(self, command, seconds, **how):
        """Its exit status, 128 + N after signal N, and the processor time it took."""
        with self.lock:
            if self.is_over:
                raise KeyboardInterrupt
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True,
                                       **how)
            self.groups.add(process.pid)
        watch = os.pidfd_open(process.pid)
        timed_out = False
        for end, grace in ((signal.SIGTERM, 5), (signal.SIGKILL, None)):
            if select.select([watch], [], [], seconds)[0]:
                break
            timed_out, seconds = True, grace
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, end)
        os.close(watch)
        with self.lock:  # until it is waited for, no other group has its number
            self.groups.discard(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if self.is_over:
            raise KeyboardInterrupt
        if timed_out:
            status = TIMED_OUT
        else:
            status = process.returncode if process.returncode >= 0 else 128 - process.returncode
        return status, usage.ru_utime + usage.ru_stime

    def end(self):
        with self.lock:
            self.is_over = True
            for group in self.groups:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(group, signal.SIGTERM)
