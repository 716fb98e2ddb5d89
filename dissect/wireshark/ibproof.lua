-- SPDX-License-Identifier: BSD-2-Clause
-- Findings of ibdissect as fields of Wireshark and tshark.
--
-- A post-dissector: it runs ibdissect once on the file that is open, or reads what `ibdissect -2 -T jsonl FILE` wrote, and gives
-- each packet with a finding the fields ibproof.finding, ibproof.severity, ibproof.explanation, ibproof.clause, ibproof.means,
-- ibproof.causes, ibproof.advice, and ibproof.cause: the frame that explains the finding, as a link. Findings are expert
-- information, too. For a capture that is still running, use the program in the folder extcap, or reload the capture (Ctrl+R).
--
-- Preferences (Edit, Preferences, Protocols, ibproof; tshark -o ibproof.NAME:VALUE):
--   ibproof.program   ibdissect                       the program
--   ibproof.options   -2                              its options, as on a command line: --port 4792
--   ibproof.findings  (empty)                         read this file instead: ibdissect -2 -T jsonl FILE >findings.jsonl
--   ibproof.capture   (empty)                         the capture, where it cannot be found: systems without /proc
local ibproof = Proto("ibproof", "ibproof findings")

ibproof.prefs.program = Pref.string("ibdissect", "ibdissect", "The program ibdissect")
ibproof.prefs.options = Pref.string("Options of ibdissect", "-2", "As on its command line; -2 waits for later packets")
ibproof.prefs.findings = Pref.string("Findings", "", "A file that ibdissect -2 -T jsonl wrote, read instead of running ibdissect")
ibproof.prefs.capture = Pref.string("Capture", "", "The file that is open; needed on systems without /proc only")

local F = {
    finding = ProtoField.string("ibproof.finding", "Finding"),
    severity = ProtoField.string("ibproof.severity", "Worst severity"),
    explanation = ProtoField.string("ibproof.explanation", "Explanation"),
    clause = ProtoField.string("ibproof.clause", "Clause"),
    means = ProtoField.string("ibproof.means", "Meaning"),
    causes = ProtoField.string("ibproof.causes", "Causes in practice"),
    advice = ProtoField.string("ibproof.advice", "What to do"),
    cause = ProtoField.framenum("ibproof.cause", "Explained by", base.NONE, frametype.NONE),
}
ibproof.fields = { F.finding, F.severity, F.explanation, F.clause, F.means, F.causes, F.advice, F.cause }
local E = {
    note = ProtoExpert.new("ibproof.note", "Finding", expert.group.PROTOCOL, expert.severity.NOTE),
    warn = ProtoExpert.new("ibproof.warn", "Finding", expert.group.PROTOCOL, expert.severity.WARN),
    error = ProtoExpert.new("ibproof.error", "Finding", expert.group.PROTOCOL, expert.severity.ERROR),
    failed = ProtoExpert.new("ibproof.failed", "No findings", expert.group.UNDECODED, expert.severity.WARN),
}
ibproof.experts = { E.note, E.warn, E.error, E.failed }

local of_frame -- frame number: findings of the packet; nil: nothing has been read for this file
local failed -- why there are no findings
local help -- name of a finding: what it means, what causes it, what to do

-- Quotes a text as one word of a command line.
local function word(text)
    return "'" .. text:gsub("'", "'\\''") .. "'"
end

local UNESCAPED = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }

-- Returns the string that begins with the quote at `at`, and the place after the string.
local function json_string(line, at)
    local stop = at + 1
    while true do
        stop = line:find('["\\]', stop)
        if not stop then return nil end
        if line:sub(stop, stop) == '"' then break end
        stop = stop + 2
    end
    local text = line:sub(at + 1, stop - 1):gsub("\\u00(%x%x)", function(x) return string.char(tonumber(x, 16)) end)
    return text:gsub("\\(.)", UNESCAPED), stop + 1
end

-- Returns the values of a key in one line of -T jsonl as a list: strings, and numbers as text.
local function json_values(line, key)
    local _, at = line:find('"' .. key .. '":', 1, true)
    local values = {}
    if not at then return values end
    at = at + 1
    local many = line:sub(at, at) == "["
    if many then at = at + 1 end
    repeat
        if line:sub(at, at) == '"' then
            local text, after = json_string(line, at)
            if not text then return values end
            values[#values + 1], at = text, after
        else
            local text = line:match("^[^,%]}]+", at)
            if not text then return values end
            values[#values + 1], at = text, at + #text
        end
        local more = line:sub(at, at) == ","
        at = at + 1
    until not (many and more)
    return values
end

local function read_findings(pipe)
    for line in pipe:lines() do
        local frame = tonumber(json_values(line, "frame.number")[1])
        local finding = frame and json_values(line, "infiniband.analysis.finding")
        if finding and #finding > 0 then
            of_frame[frame] = {
                finding = finding,
                message = json_values(line, "infiniband.analysis.message"),
                clause = json_values(line, "infiniband.analysis.clause"),
                severity = json_values(line, "infiniband.analysis.severity")[1],
                cause = json_values(line, "infiniband.analysis.cause"),
            }
        end
    end
end

local MAGIC = { -- pcap (us, ns, both orders), modified pcap, pcapng, gzip
    ["\xd4\xc3\xb2\xa1"] = true, ["\xa1\xb2\xc3\xd4"] = true, ["\x4d\x3c\xb2\xa1"] = true, ["\xa1\xb2\x3c\x4d"] = true,
    ["\x34\xcd\xb2\xa1"] = true, ["\x0a\x0d\x0d\x0a"] = true,
}

local function is_capture(path)
    local file = io.open(path, "rb")
    if not file then return false end
    local begin = file:read(4) or ""
    file:close()
    return MAGIC[begin] or begin:sub(1, 2) == "\x1f\x8b" or path:match("%.erf$") ~= nil
end

-- Finds the capture file among the open files of this process, since Wireshark does not tell a script which file is open.
local function open_capture()
    if ibproof.prefs.capture ~= "" then return ibproof.prefs.capture end
    local pipe = io.popen("for f in /proc/$PPID/fd/*; do readlink -f \"$f\"; done 2>/dev/null")
    local found
    for path in pipe:lines() do
        if not path:match("^/proc/") and not path:match("^/dev/") and is_capture(path) then found = path end
    end
    pipe:close()
    return found
end

local function read_help()
    help = {}
    local pipe = io.popen(word(ibproof.prefs.program) .. " -G findings 2>/dev/null")
    for line in pipe:lines() do
        local column = {}
        for text in (line .. "\t"):gmatch("([^\t]*)\t") do column[#column + 1] = text end
        help[column[1]] = { means = column[6], causes = column[7], advice = column[8] }
    end
    pipe:close()
end

-- Runs ibdissect. The shell appends the exit code to the output, since Lua 5.2 does not always return that of a pipe.
local function run(capture)
    local pipe = io.popen(word(ibproof.prefs.program) .. " " .. ibproof.prefs.options .. " -n -T jsonl -e frame.number" ..
        " -e infiniband.analysis.finding -e infiniband.analysis.message -e infiniband.analysis.clause" ..
        " -e infiniband.analysis.severity -e infiniband.analysis.cause -Y infiniband.analysis.finding -r " ..
        word(capture) .. " 2>&1; echo \"exit $?\"")
    local lines = {}
    for line in pipe:lines() do lines[#lines + 1] = line end
    pipe:close()
    local code = table.remove(lines)
    read_findings({ lines = function()
        local i = 0
        return function() i = i + 1 return lines[i] end
    end })
    if code ~= "exit 0" then
        local said = #lines > 0 and not lines[#lines]:match("^{") and lines[#lines] or code
        failed = said .. " (" .. ibproof.prefs.program .. " " .. capture .. ")"
    end
end

local function load()
    of_frame, failed = {}, nil
    read_help()
    if ibproof.prefs.findings ~= "" then
        local file, why = io.open(ibproof.prefs.findings)
        if not file then failed = why return end
        read_findings(file)
        file:close()
        return
    end
    local capture = open_capture()
    if capture then run(capture) else failed = "which file is open is not known: set the preference ibproof.capture" end
end

function ibproof.init()
    of_frame = nil
end

function ibproof.prefs_changed()
    of_frame = nil
end

local function add_advice(branch, name)
    local row = help[name] or {}
    for _, what in ipairs({ "means", "causes", "advice" }) do
        if row[what] and row[what] ~= "" then branch:add(F[what], row[what]):set_generated() end
    end
end

function ibproof.dissector(tvb, pinfo, tree)
    if not of_frame then load() end
    local found = of_frame[pinfo.number]
    if failed and pinfo.number == 1 then
        tree:add(ibproof, tvb(0, 0)):add_proto_expert_info(E.failed, "ibdissect: " .. failed)
    end
    if not found then return end
    local branch = tree:add(ibproof, tvb(0, 0))
    branch:set_generated()
    branch:append_text(": " .. table.concat(found.finding, ", "))
    branch:add(F.severity, found.severity):set_generated()
    for i, name in ipairs(found.finding) do
        local item = branch:add(F.finding, name)
        item:set_generated()
        item:add_proto_expert_info(E[found.severity] or E.note, found.message[i] or name)
        item:add(F.explanation, found.message[i] or ""):set_generated()
        add_advice(item, name)
    end
    for _, clause in ipairs(found.clause) do branch:add(F.clause, clause):set_generated() end
    for _, cause in ipairs(found.cause) do branch:add(F.cause, tonumber(cause)):set_generated() end
end

register_postdissector(ibproof)
