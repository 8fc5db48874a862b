"""One test file of any kind, run in a folder of its own."""
import difflib
import io
import json
import os
import pathlib
import re
import subprocess
import tempfile

from runner.cases import cases_of, findings_of
from runner.processes import TIMED_OUT

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASE_SECONDS = int(os.environ.get("TEST_TIMEOUT") or 300)
SCRIPT_SECONDS = 1200
CANNOT = "cannot do this yet"


class TestFile:
    """A test file; its cases run in a folder of its own. `say(what, name, why)` takes outcomes."""

    def __init__(self, path, options, processes, say):
        self.path, self.options, self.processes, self.say = path, options, processes, say
        self.name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
        self.used = 0.0

    def run(self):
        with tempfile.TemporaryDirectory(dir=self.options.results) as folder:
            self.folder = pathlib.Path(folder)
            if self.path.suffix in (".c", ".cu"):
                self.kernel()
            elif self.path.suffix == ".ll":
                self.compiler_pass()
            elif self.path.suffix == ".sh":
                self.script()
        return self.used

    def start(self, command, seconds, folder=None, **how):
        """Run it; its status and, as text, what it has printed."""
        output = {}
        with open(self.folder / "out", "w+b") as out, open(self.folder / "err", "w+b") as err:
            how.setdefault("stderr", err)
            status, used = self.processes.run(command, seconds, stdout=out,
                                              cwd=folder or self.folder, **how)
            self.used += used
            for name, file in (("out", out), ("err", err)):
                file.seek(0)
                output[name] = file.read().decode(errors="surrogateescape")
        return status, output["out"], output["err"]

    def kernel(self):
        cases = cases_of(self.path, self.name)
        is_checked = self.path.parent == ROOT / "tests/check"
        if not cases:
            self.say("failed", self.name, ["no // run: line\n"])
        for case in cases:
            if is_checked:
                if not self.options.device and case.is_in(self.options.cases):
                    self.check(case)
                continue
            device = case.device(self.options.device)
            for size in [] if device is None else case.sizes(self.options):
                self.launch(case, size, device)

    def outcome(self, name, command, why, err):
        if not why:
            self.say("passed", name)
            return
        said = ["stderr: %s\n" % line for line in err.splitlines()]
        self.say("failed", name, why + [command + "\n"] + said)

    def launch(self, case, size, device):
        name = case.name + (", size " + size if "sizes" in case.said else "")
        words = device + case.words(size)
        status, out, err = self.start(
            [self.options.lanewise, "run", str(self.path), *words], CASE_SECONDS)
        expected = [case.fill(line, size) + "\n" for line in case.lines("expect")]
        texts = [case.fill(text, size) for text in case.lines("stderr")]
        wanted = int(case.last("status", "0"))
        # What fails a launch elsewhere is a finding to the checker, and the launch goes on.
        if (self.options.device, wanted, status) == ("check", 4, 1):
            status, out = 4, ""
        refusal = "device %s %s" % (self.options.device, CANNOT)
        if self.options.device and refusal in err and not any(CANNOT in text for text in texts):
            line = next(line for line in err.splitlines() if CANNOT in line)
            self.say("refused", name + line.partition(CANNOT)[2])
            return
        why = status_is(status, wanted, CASE_SECONDS)
        why += difference(expected, list(io.StringIO(out)), ("expected", "printed"))
        why += ["standard error lacks: %s\n" % text for text in texts if text not in err]
        if wanted and not texts:
            why.append("a case with // status: needs // stderr: too\n")
        self.outcome(name, "lanewise run %s %s" % (self.name, " ".join(words)), why, err)

    def check(self, case):
        words = case.words("1")
        status, out, err = self.start(
            [self.options.lanewise, "check", "--json", str(self.path), *words], CASE_SECONDS)
        wanted = findings_of(case, self.path)
        warnings = ("benign-read", "benign-write", "nondeterministic")
        fails = any(kind not in warnings for kind, _ in wanted)
        why, found = status_is(status, int(fails), CASE_SECONDS), []
        try:
            result = json.loads(out)
            if result["verdict"] not in ("clean", "findings"):
                why.append("nothing was checked\n")
            for finding in result["findings"]:
                lines = [finding["line"], finding.get("other_line")]
                found.append((finding["class"], sorted(line for line in lines if line)))
        except (ValueError, KeyError) as error:
            why.append("the result cannot be read: %s\n" % error)
        why += difference(shown(wanted), shown(sorted(found)), ("expected", "found"))
        self.outcome(case.name, "lanewise check %s %s" % (self.name, " ".join(words)), why, err)

    def compiler_pass(self):
        commands = re.findall(r"^; RUN: (.*)", self.path.read_text(), re.MULTILINE)
        if not commands:
            self.say("failed", self.name, ["no ; RUN: line\n"])
            return
        script = "\n".join(commands).replace("%s", str(self.path))
        script = script.replace("%build", str(self.options.build))
        status, out, _ = self.start(["sh", "-e", "-c", script], CASE_SECONDS,
                                    stderr=subprocess.STDOUT)
        self.outcome(self.name, script, status and [out] + status_is(status, 0, CASE_SECONDS), "")

    def script(self):
        place = self.folder / "tmp"
        place.mkdir()
        status, log, _ = self.start(["sh", "-x", str(self.path)], SCRIPT_SECONDS, place,
                                    stderr=subprocess.STDOUT,
                                    env={**os.environ, "TMP": str(place)})
        lines = log.splitlines(keepends=True)
        if status == 0:
            self.say("passed", self.name)
        elif status == 77:
            said = [line.strip() for line in lines if not line.startswith("+")]
            self.say("skipped", "%s: %s" % (self.name, said[-1] if said else ""))
        else:
            self.say("failed", self.name, lines[-40:] + status_is(status, 0, SCRIPT_SECONDS))


def status_is(status, wanted, seconds):
    why = [] if status == wanted else ["exit status %d, expected %d\n" % (status, wanted)]
    return why + (["stopped after %d seconds\n" % seconds] if status == TIMED_OUT else [])


def shown(findings):
    return ["%s %s\n" % (kind, " ".join(map(str, lines))) for kind, lines in findings]


def difference(wanted, got, names):
    """The lines of a unified diff, none where both are the same."""
    lines = difflib.unified_diff(wanted, got, *names)
    return [line if line.endswith("\n") else line + "\n\\ No newline at end\n" for line in lines]
