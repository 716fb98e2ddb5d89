# SPDX-License-Identifier: BSD-2-Clause
"""check.py junit|json|html FILE: checks the reports of test/made.c. Asserts."""
import html.parser
import json
import sys
import xml.etree.ElementTree

VERDICTS = ["PASS", "TOLERATED", "INCONCLUSIVE", "DEVIATES", "FAIL", "ERROR", "INFO", "NOT_APPLICABLE", "UNSUPPORTED", "XFAIL", "XPASS"]
KEYS = ["id", "title", "file", "class", "spec", "verdict", "counters", "variations", "passed", "wall_ns", "measured", "hazard",
        "evidence", "finding", "counter_finding", "waiver", "cause"]


def group(name):
    parts = name.split(".")
    return ".".join(parts[:2] if len(parts) > 2 else parts[:1])


def junit(path):
    root = xml.etree.ElementTree.parse(path).getroot()
    assert len(set(s.get("name") for s in root)) == len(root) == 7, [s.get("name") for s in root]
    cases = list(root.iter("testcase"))
    of = {(c.get("classname"), c.get("name")): c for c in cases}
    assert len(of) == len(cases) == int(root.get("tests")) == 17, len(cases)
    for element, attribute in (("failure", "failures"), ("error", "errors")):
        assert len(list(root.iter(element))) == int(root.get(attribute)) == sum(int(s.get(attribute)) for s in root)
    for name, element, kind in (("d-fail", "failure", "FAIL"), ("c-inconclusive", "error", "INCONCLUSIVE")):
        found = of["rc.responder", name].find(element)
        assert found.get("type") == kind
        assert found.get("message") == 'expected bth.psn 0x000101, got bth.psn 0x000102 <of> "device" & co', found.get("message")
        for part in ("statement: RR-03\n", "clause: 9.7.4.1.2\n", "sentence: A responder answers", "line: 15\n", "packet: 5\n", "evidence: ",
                     "variation: pmtu=256 epsn=0x000100\n"):
            assert part in found.text, part
    assert "severity: interoperation\n" in of["rc.responder", "d-fail"].find("failure").text
    deviates = of["rc.responder", "d-deviates"].find("skipped")
    assert deviates.get("type") == "DEVIATES" and deviates.get("message").startswith("expected bth.psn"), deviates.attrib
    assert "not certain: drawn <from> it\n" in deviates.text
    assert of["rc.requester", "e-error"].find("error") is not None
    assert of["ud.receiver", "some.part.j-xpass"].find("failure") is not None
    assert of["uc", "g-not-applicable"].find("skipped").get("message") == "not played: it kills"
    assert "waiver: \"'<b onclick=" in of["ud.receiver", "i-xfail"].find("skipped").text
    assert of["rc.responder", "a-pass (counters)"].find("system-out") is not None
    assert of["rc.responder", "b-tolerated"].find("system-out").text.startswith("verdict: TOLERATED\n")
    assert of["ud", "zz"] is not None
    properties = {p.get("name"): p.get("value") for p in root[0].iter("property")}
    assert list(properties) == ["target", "link", "seed", "version"], properties
    assert properties["seed"] == "18446744073709551615"


def report(path):
    with open(path, encoding="utf-8") as file:
        r = json.load(file)
    assert list(r) == ["tool", "format", "run", "counts", "counters_off", "hazards_not_played", "statements", "results"], list(r)
    assert r["run"]["seed"] == "18446744073709551615" and r["run"]["target"].startswith("\"'<b onclick=\"x\">&amp;]]>--\x01")
    assert set(r["counts"]) == set(VERDICTS) and sum(r["counts"].values()) == len(r["results"]) == 15
    assert r["counters_off"] == 1 and r["hazards_not_played"] == 1
    of = {x["id"]: x for x in r["results"]}
    ids = [x["id"] for x in r["results"]]
    assert ids == sorted(ids, key=lambda i: (group(i).encode(), i.encode())), ids
    assert all(list(x) == KEYS for x in r["results"])
    spared = of["uc.g-not-applicable"]
    assert spared["hazard"].startswith("\"'<b onclick") and spared["measured"] == "not played: it kills"
    fail = of["rc.responder.d-fail"]
    assert fail["hazard"] is None
    assert fail["finding"] == {
        "statement": "RR-03", "sentence": fail["finding"]["sentence"], "expected": "bth.psn 0x000101",
        "got": 'bth.psn 0x000102 <of> "device" & co', "variation": "pmtu=256 epsn=0x000100", "line": 15, "packet": 5,
        "doubt": None, "section": "9.7.4.1.2", "compliance": "", "certain": True, "severity": "interoperation",
        "witnesses": fail["finding"]["witnesses"]}
    assert [w["kind"] for w in fail["finding"]["witnesses"]] == ["confirms"]
    assert fail["cause"] == "rc.responder.d-fail" and of["rc.responder.a-pass"]["cause"] is None
    assert of["rc.responder.d-deviates"]["finding"]["doubt"] == "drawn <from> it"
    assert fail["class"] == "mandatory" and fail["spec"] == ["RR-03", "RR-04"] and fail["passed"] == 3
    assert of["rc.responder.a-pass"]["finding"] is None
    assert of["ud.receiver.i-xfail"]["waiver"]["expires"] == "2099-12-31"
    statements = {s["id"]: s["scenarios"] for s in r["statements"]}
    assert list(statements) == ["RR-03", "RR-04", "UU-18"]
    assert "rc.responder.d-fail" in statements["RR-03"] and "uc.g-not-applicable" in statements["UU-18"]


class Page(html.parser.HTMLParser):
    ELEMENTS = set("""html head meta title style body header main section footer h1 h2 h3 h4 p ul ol li dl dt dd b span a div
        table caption thead tbody tfoot tr th td details summary form label select option input pre code mark script""".split())
    ATTRIBUTES = set("""lang charset http-equiv content name class id href aria-labelledby aria-hidden role hidden value type
        autocomplete tabindex title data-verdict data-area scope""".split())

    def __init__(self):
        super().__init__()
        self.text, self.ids, self.links, self.scripts, self.classes = "", [], [], 0, []

    def handle_starttag(self, tag, attrs):
        assert tag in self.ELEMENTS, tag
        self.scripts += tag == "script"
        for name, value in attrs:
            assert name in self.ATTRIBUTES, (tag, name)
            if name == "href":
                assert value.startswith(("#", "./", "/")) and not value.startswith("//"), value
                self.links.append(value)
            if name == "id":
                self.ids.append(value)
            if name == "class":
                self.classes.append(value)

    def handle_data(self, data):
        self.text += data


def page(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    p = Page()
    p.feed(text)
    p.close()
    assert p.scripts == 1
    assert len(set(p.ids)) == len(p.ids)
    for outside in ("src=", "http://", "https://", "@import", "url("):
        assert outside not in text, outside
    assert "15 scenarios were played against \"'<b onclick=\"x\">" in p.text
    assert "</script><script>alert(1)//" in p.text
    assert all("#" + i in p.links for i in ("rc.responder.d-fail", "rc.requester.e-error"))
    assert any(link.endswith("/e%20%25.pcapng") for link in p.links)
    assert p.classes.count("back judged") == 10 and "out judged" not in p.classes, p.classes
    assert "drawn <from> it" in p.text
    assert "the line that decided:" in p.text and "RC Acknowledge" in p.text
    assert "expected bth.psn 0x000101, got 0x000102" in p.text
    # One play of three: six packets, three from each side; for a passed case the first play.
    assert p.classes.count("back") == 10 * 2 and p.classes.count("out") == 10 * 3 + 1, (p.classes.count("back"), p.classes.count("out"))
    assert "6 of 8 packets are shown" in p.text and "1 of 8 packets are shown" in p.text
    assert "/nowhere/" in p.text and "not played: it kills" in p.text


if __name__ == "__main__":
    {"junit": junit, "json": report, "html": page}[sys.argv[1]](sys.argv[2])
