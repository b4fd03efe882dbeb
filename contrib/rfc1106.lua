-- The TCP options of RFC 1106 (NAK, big window, upper window) and NAK-permitted, for Wireshark and tshark.
--
-- It is a post-dissector: Wireshark's own TCP dissector has the options already and shows ours as unknown, so this
-- script reads the octets once more and adds a tree of its own. README.md lists the fields.

local proto = Proto("rfc1106", "RFC 1106 TCP Options")

local f = {
  nak = ProtoField.none("rfc1106.nak", "NAK"),
  seq = ProtoField.uint32("rfc1106.nak.seq", "First missing octet (raw)"),
  relative = ProtoField.int32("rfc1106.nak.relative_seq", "First missing octet, from the ACK number"),
  segments = ProtoField.uint8("rfc1106.nak.segments", "Segments missing"),
  permitted = ProtoField.none("rfc1106.nak_permitted", "NAK permitted"),
  bigwindow = ProtoField.uint32("rfc1106.bigwindow", "Big window"),
  upper = ProtoField.uint16("rfc1106.upper_window", "Upper window"),
  window = ProtoField.uint32("rfc1106.window", "Window"),
  encoding = ProtoField.string("rfc1106.encoding", "Encoding"),
}
proto.fields = f

local malformed = ProtoExpert.new("rfc1106.malformed", "Malformed RFC 1106 option", expert.group.MALFORMED, expert.severity.ERROR)
local unexpected = ProtoExpert.new("rfc1106.unexpected", "Unexpected RFC 1106 option", expert.group.PROTOCOL, expert.severity.WARN)
proto.experts = { malformed, unexpected }

proto.prefs.literal = Pref.bool("Recognise bare kinds", true, "Options as RFC 1106 draws them, without an experiment identifier")
proto.prefs.nak_kind = Pref.uint("Bare kind of NAK", 106, "Option A; 0 for none")
proto.prefs.bigwindow_kind = Pref.uint("Bare kind of big window", 107, "Option B; 0 for none")
proto.prefs.upper_window_kind = Pref.uint("Bare kind of upper window", 108, "Option C; 0 for none")
proto.prefs.nak_permitted_kind = Pref.uint("Bare kind of NAK permitted", 109, "0 for none")

local tcp_field = Field.new("tcp")
local ack_field = Field.new("tcp.ack")

local MAX_WINDOW = 2 ^ 30 -- the largest window of RFC 1106 s.3

local function octets(n)
  return string.format(" octet%s", n == 1 and "" or "s")
end

-- Each of these shows one option whose data, of the right length, is the range d. h is the TCP header; range is the whole
-- option. It returns the option's tree item, a few words for the Info column, and what is odd about it, if anything.

local function show_nak(tree, h, range, d)
  local seq, count = d(0, 4):uint(), d(4, 1):uint()
  local item = tree:add(f.nak, range)
  item:add(f.seq, d(0, 4))
  local shown = seq
  if h.ack then
    local from_ack = (seq - h.ack + 2 ^ 31) % 2 ^ 32 - 2 ^ 31
    item:add(f.relative, d(0, 4), from_ack):append_text(octets(from_ack)):set_generated()
    shown = (h.shown_ack + from_ack) % 2 ^ 32
  end
  item:add(f.segments, d(4, 1))
  item:append_text(string.format(": %d segment%s missing at sequence number %.0f", count, count == 1 and "" or "s", shown))
  return item, string.format("NAK=%.0f x%d", shown, count), count == 0 and "a NAK of no segments says nothing"
end

local function show_bigwindow(tree, h, range, d)
  local window = d:uint()
  local item = tree:add(f.bigwindow, range, window):append_text(octets(window))
  local odd = not h.syn and "big window belongs in a SYN" or window > MAX_WINDOW and "larger than 2^30 octets"
  return item, string.format("BigWin=%.0f", window), odd
end

local function show_upper(tree, h, range, d)
  local upper = d:uint()
  local window = upper * 65536 + h.window:uint()
  local item = tree:add(f.upper, range, upper)
  item:add(f.window, h.window, window):append_text(octets(window)):set_generated()
  local odd = h.syn and "a SYN has a window of 16 bits" or window > MAX_WINDOW and "larger than 2^30 octets"
  return item, string.format("Win32=%.0f", window), odd
end

local function show_permitted(tree, h, range)
  return tree:add(f.permitted, range), "NAK_PERM", not h.syn and "NAK permitted belongs in a SYN"
end

-- exid is the experiment identifier (RFC 6994) under the experimental kinds, pref the preference with the bare kind, and
-- data the octets after them.
local options = {
  { name = "NAK", exid = 0x110A, pref = "nak_kind", data = 5, show = show_nak },
  { name = "big window", exid = 0x110B, pref = "bigwindow_kind", data = 4, show = show_bigwindow },
  { name = "upper window", exid = 0x110C, pref = "upper_window_kind", data = 2, show = show_upper },
  { name = "NAK permitted", exid = 0x110D, pref = "nak_permitted_kind", data = 0, show = show_permitted },
}

-- identify returns the option at octet i of tvb, and the octets before its data; or nil if it is not one of ours. Nothing
-- from last on belongs to the list.
local function identify(tvb, i, last)
  local kind = tvb(i, 1):uint()
  if kind == 253 or kind == 254 then
    if i + 4 > last or tvb(i + 1, 1):uint() < 4 then
      return nil
    end
    local exid = tvb(i + 2, 2):uint()
    for _, o in ipairs(options) do
      if o.exid == exid then
        return o, 4
      end
    end
  elseif proto.prefs.literal then
    for _, o in ipairs(options) do
      if proto.prefs[o.pref] == kind then
        return o, 2
      end
    end
  end
end

-- header returns what is needed of the TCP header that Wireshark found as field fi, or nil if there are no options in it.
-- The range of fi is of no use: to ask for it is an error when the capture has less than that.
local function header(fi)
  local tvb, at = fi.source, fi.offset
  if tvb:len() - at < 20 then
    return nil
  end
  local size = 4 * tvb(at + 12, 1):bitfield(0, 4)
  local h = { tvb = tvb, first = at + 20, seen = {} }
  h.window, h.syn = tvb(at + 14, 2), tvb(at + 13, 1):bitfield(6, 1) == 1
  h.last = math.min(at + size, tvb:len())
  h.cut = h.last < at + size
  if tvb(at + 13, 1):bitfield(3, 1) == 1 then
    h.ack = tvb(at + 8, 4):uint()
    h.shown_ack = h.ack
    for _, ack in ipairs({ ack_field() }) do -- the number that the user sees: relative or not, as he prefers
      if ack.offset == at + 8 then
        h.shown_ack = ack.value
      end
    end
  end
  return h.first < h.last and h or nil
end

-- add_option adds option o, of n octets at i, to the tree of header h and returns a few words about it.
local function add_option(h, o, i, n, before)
  h.tree = h.tree or h.root:add(proto, h.tvb(h.first, h.last - h.first))
  if not n or i + n > h.last or n ~= before + o.data then
    local range = h.tvb(i, math.max(1, math.min(n or 1, h.last - i)))
    local what = string.format("%s of %s octets, not %d", o.name, n or "no", before + o.data)
    h.tree:add(range, "Malformed " .. o.name):add_proto_expert_info(malformed, what)
    return "malformed " .. o.name
  end
  local range = h.tvb(i, n)
  local data = o.data > 0 and h.tvb(i + before, o.data) or nil
  local item, words, odd = o.show(h.tree, h, range, data)
  item:add(f.encoding, h.tvb(i, before), before == 4 and "experimental" or "literal"):set_generated()
  if h.seen[o] then
    odd = o.name .. " again; the first counts"
  end
  h.seen[o] = true
  if odd then
    item:add_proto_expert_info(unexpected, odd)
  end
  return words
end

-- add_options walks through the options of header h as RFC 9293 s.3.1 says (MUST-6, MUST-7): unknown ones are skipped, and
-- nothing is believed after a length that cannot be right. It returns a few words about each of ours.
local function add_options(h)
  local all, i = {}, h.first
  while i < h.last do
    local kind = h.tvb(i, 1):uint()
    if kind == 0 then
      break
    elseif kind == 1 then
      i = i + 1
    else
      local n = i + 1 < h.last and h.tvb(i + 1, 1):uint() or nil
      local sane = n and n >= 2 and i + n <= h.last
      if not sane and h.cut and (not n or n >= 2) then
        break -- not wrong, only not captured
      end
      local o, before = identify(h.tvb, i, h.last)
      if o then
        table.insert(all, add_option(h, o, i, n, before))
      end
      if not sane then
        break
      end
      i = i + n
    end
  end
  return all
end

-- A frame may have several TCP headers: in a tunnel, or quoted by ICMP.
function proto.dissector(_, pinfo, root)
  for _, fi in ipairs({ tcp_field() }) do
    local h = header(fi)
    if h then
      h.root = root
      local all = add_options(h)
      if #all > 0 then
        h.tree:append_text(": " .. table.concat(all, ", "))
        pinfo.cols.info:append(" " .. table.concat(all, " "))
      end
    end
  end
end

register_postdissector(proto)
