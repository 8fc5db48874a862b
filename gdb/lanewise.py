# lanewise.py - gdb's commands for kernels that are built with -O0 for the device `ref`.
#
#     (gdb) source /usr/local/share/lanewise/gdb/lanewise.py
#
# Whenever a thread of a kernel resumes, its code sets thread_idx, block_idx and the like, then
# calls the function lanewise_runs (src/compile/debugger/unit.c). A breakpoint there sees all.
"""Commands for the kernels of Lanewise, in gdb."""
import gdb

RUNS = "lanewise_runs"
FRAMES_BELOW = 2  # lanewise_runs, lw.here, then the kernel


def read_index(text, name):
    """X[,Y[,Z]] as three numbers."""
    words = text.split(",")
    try:
        numbers = [int(word, 0) for word in words]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= 3 or min(numbers) < 0:
        raise gdb.GdbError(f"the {name} is '{text}'; need X, X,Y or X,Y,Z, whole numbers from 0")
    return tuple(numbers + [0] * (3 - len(numbers)))


def read_place(argument):
    """The two words of a command: a block and a thread."""
    words = gdb.string_to_argv(argument)
    if len(words) != 2:
        raise gdb.GdbError(f"{len(words)} words; need the block and the thread, as in 0 5")
    return read_index(words[0], "block"), read_index(words[1], "thread")


def value_of(name):
    """One of the variables that a kernel's code sets."""
    try:
        value = gdb.parse_and_eval(name)
        return tuple(int(value[axis]) for axis in "xyz")
    except gdb.error:
        raise gdb.GdbError(
            "no kernel built with -O0 runs here; start one with lanewise run -O0 -d ref, and stop "
            "in it first") from None


def written(index):
    return ",".join(str(number) for number in index)


def condition_of(block, thread):
    parts = [f"{name}.{axis} == {number}"
             for name, index in (("block_idx", block), ("thread_idx", thread))
             for axis, number in zip("xyz", index)]
    return " && ".join(parts)


def state_of(record):
    """begins, waits, yields, returned or failed."""
    return str(record["state"])


def records():
    """The records of all threads in the block that runs, by their index in it."""
    own = gdb.parse_and_eval("lanewise_thread")
    x, y, z = value_of("block_dim")
    first = int(own) - int(own["linear"]) * int(own["record_bytes"])
    return [gdb.Value(first + i * int(own["record_bytes"])).cast(own.type)
            for i in range(x * y * z)]


class Going(gdb.Breakpoint):
    """Stops where one thread goes on."""

    def __init__(self, block, thread):
        super().__init__(RUNS, internal=True)
        self.silent = True
        self.place = block, thread
        self.is_met = False

    def stop(self):
        self.is_met = (value_of("block_idx"), value_of("thread_idx")) == self.place
        return self.is_met


def check_place(block, thread):
    """Is there such a thread in the launch?"""
    for name, index, size in (("block", block, value_of("grid_dim")),
                              ("thread", thread, value_of("block_dim"))):
        if any(i >= n for i, n in zip(index, size)):
            raise gdb.GdbError(f"there is no {name} {written(index)}; "
                               f"the launch has {written(size)} of them")


def check_lives(block, thread):
    """Of the block that runs it is known whether a thread can go on."""
    x, y, _ = value_of("block_dim")
    linear = thread[0] + x * (thread[1] + y * thread[2])
    if block == value_of("block_idx") and state_of(records()[linear]) == "returned":
        raise gdb.GdbError(f"thread {written(thread)} of block {written(block)} has returned")


def others():
    """The user's breakpoints that are enabled."""
    return [b for b in gdb.breakpoints() or () if b.is_valid() and b.visible and b.enabled]


def run_quietly(command):
    gdb.execute(command, to_string=True)


def to_kernel():
    """From lanewise_runs up into the kernel: to its first line, or where the thread goes on."""
    frame = gdb.newest_frame()
    for _ in range(FRAMES_BELOW):
        frame = frame.older()
    begins = state_of(gdb.parse_and_eval("lanewise_thread")) == "begins"
    place = f"-function {frame.name()}" if begins else f"*{frame.pc()}"
    gdb.Breakpoint(place, temporary=True, internal=True).silent = True
    run_quietly("continue")


def go_to(block, thread):
    """Run until the thread goes on; False: it did not before something else happened."""
    going = Going(block, thread)
    held = others()
    for breakpoint in held:
        breakpoint.enabled = False
    try:
        run_quietly("continue")
        if going.is_met:
            to_kernel()
        return going.is_met
    finally:
        if going.is_valid():
            going.delete()
        for breakpoint in held:
            if breakpoint.is_valid():
                breakpoint.enabled = True


def is_running():
    return gdb.selected_inferior().pid != 0


class Lanewise(gdb.Command):
    """Threads of kernels that were built with -O0.

In such a kernel print thread_idx, block_idx, block_dim, grid_dim, global_idx, lane_id and warp_id
are those of the thread that runs; docs/debugging.md has more."""

    def __init__(self):
        super().__init__("lanewise", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE, True)


class Thread(gdb.Command):
    """Go to another thread: lanewise thread BLOCK THREAD

BLOCK and THREAD are indices, X, X,Y or X,Y,Z, as block_idx and thread_idx have them.
The kernel runs until this thread begins, or goes on behind the barrier or other
operation in which it waited, and stops in its line. Breakpoints do not stop the others
meanwhile. A thread that has returned does not go on any more."""

    def __init__(self):
        super().__init__("lanewise thread", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        block, thread = read_place(argument)
        check_place(block, thread)
        check_lives(block, thread)
        met = go_to(block, thread)
        if met:
            print(f"block {written(block)} thread {written(thread)}")
            gdb.execute("frame")
        elif is_running():
            print("something else stopped the program:")
            gdb.execute("frame")
        else:
            print(f"the program has ended; thread {written(thread)} of block {written(block)} "
                  "did not go on")


class Threads(gdb.Command):
    """Print what the threads of the block that runs are at.

They are in the order in which they lie in the block, x fastest."""

    def __init__(self):
        super().__init__("lanewise threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        x, y, _ = value_of("block_dim")
        own = gdb.parse_and_eval("lanewise_thread")
        groups = []
        for linear, record in enumerate(records()):
            what = self.what(record, record == own)
            if groups and groups[-1][2] == what:
                groups[-1][1] = linear
            else:
                groups.append([linear, linear, what])
        for first, last, what in groups:
            ends = [written((i % x, i // x % y, i // x // y)) for i in sorted({first, last})]
            print(f"{' to '.join(ends)}: {what}")

    @staticmethod
    def what(record, is_own):
        state = state_of(record)
        if is_own:
            return "runs"
        if state == "waits":
            return f"in {record['op']}, line {record['line']}"
        return {"begins": "has not begun", "yields": f"in a loop, line {record['line']}"}.get(
            state, "has returned")


class Stay(gdb.Command):
    """Have breakpoints stop one thread only: lanewise stay [BLOCK THREAD | off]

All breakpoints that there are get the condition that this thread runs, without words the one
that has stopped now. Conditions that they had are kept beside it. off takes it away again."""

    def __init__(self):
        super().__init__("lanewise stay", gdb.COMMAND_BREAKPOINTS)
        self.kept = {}

    def release(self):
        for breakpoint, condition in self.kept.items():
            if breakpoint.is_valid():
                breakpoint.condition = condition
        self.kept.clear()

    def invoke(self, argument, from_tty):
        if argument == "off":
            self.release()
            return
        if argument:
            block, thread = read_place(argument)
            check_place(block, thread)
        else:
            block, thread = value_of("block_idx"), value_of("thread_idx")
        self.release()
        condition = condition_of(block, thread)
        for breakpoint in others():
            own = breakpoint.condition
            breakpoint.condition = f"({own}) && {condition}" if own else condition
            self.kept[breakpoint] = own
        print(f"{len(self.kept)} breakpoints stop block {written(block)} thread {written(thread)} "
              "only")


gdb.execute("set breakpoint pending on")  # kernels are loaded when the program runs
run_quietly("skip -gfi */src/run/ref_*")  # barrier() is a call of the library: step over it
Lanewise()
Thread()
Threads()
Stay()
