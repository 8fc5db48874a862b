"""The cases of a kernel file: what its comments say (the head of tests/run)."""
import re
import shlex
import zlib

KEY = re.compile(r"// (run|expect|status|stderr|sizes|device|finds): ?(.*)")
MARK = re.compile(r"/\* (@[a-z0-9]+) \*/")
ASKS_FOR_A_DEVICE = re.compile(r"(^|.* )(-d|--device)[ =]")


class Case:
    """What the comments of one `// run:` say; `common` is what those in front of the first say."""

    def __init__(self, name, folder, args, common):
        self.name, self.folder, self.args = name, folder, args
        self.said = {key: list(lines) for key, lines in common.items()}

    def lines(self, key):
        return self.said.get(key, [])

    def last(self, key, default):
        return self.lines(key)[-1] if self.lines(key) else default

    def number(self):
        """One of the name: shares of cases and of sizes go by it."""
        return zlib.crc32(self.name.encode())

    def is_in(self, cases):
        kth, every = cases
        return self.number() // 65536 % every == kth % every  # the low digits pick sizes

    def sizes(self, options):
        """Blocks as `8x8x4`: of those of the case the share of -s that its name picks."""
        if not self.is_in(options.cases):
            return []
        if "sizes" not in self.said:
            return ["1"]
        sizes = [size for size in " ".join(self.lines("sizes")).split()
                 if threads_of(size) <= options.threads]
        kth, every = options.sizes
        every = max(1, min(every, len(sizes)))
        return [size for i, size in enumerate(sizes)
                if (i + self.number()) % every == kth % every]

    def device(self, asked):
        """Words that ask for the device of the launch; None: the case is left out."""
        own = self.last("device", "").split(" ")[0]
        kind = asked.partition(":")[0]
        asks = ASKS_FOR_A_DEVICE.search(self.args)
        if own.startswith("!"):
            if own[1:] == kind:
                return None
            own = ""
        if asked and (asks or own not in ("", kind)):
            return None
        own = own or asked or ("" if asks else "ref")
        return ["-d"] + shlex.split(own) if own else []

    def fill(self, text, size):
        return (text.replace("@DIR", str(self.folder)).replace("@B", size.replace("x", ","))
                .replace("@N", str(threads_of(size))))

    def words(self, size):
        try:
            return shlex.split(self.fill(self.args, size))
        except ValueError as error:
            raise ValueError("// run: %s: %s" % (self.args, error)) from None


def threads_of(size):
    threads = 1
    for extent in size.split("x"):
        threads *= int(extent)
    return threads


def cases_of(path, name):
    common, cases = {}, []
    for line in path.read_text(errors="surrogateescape").split("\n"):
        says = KEY.match(line)
        if not says:
            continue
        key, value = says.groups()
        if key == "run":
            cases.append(Case("%s, case %d" % (name, len(cases) + 1), path.parent, value, common))
        else:
            (cases[-1].said if cases else common).setdefault(key, []).append(value)
    return cases


def findings_of(case, path):
    """What the case must find, as (class, lines in order), sorted."""
    marks = {mark: i for i, line in enumerate(path.read_text().split("\n"), 1)
             for mark in MARK.findall(line)}
    wanted = []
    for finds in case.lines("finds"):
        kind, *places = finds.split()
        wanted.append((kind, sorted(int(marks.get(place, place)) for place in places)))
    return sorted(wanted)
