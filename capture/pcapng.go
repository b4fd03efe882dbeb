package capture

import (
	"fmt"
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"longhaul/trace"
)

// PcapNG is a sink that writes trace.Packet events as a pcapng file (draft-ietf-opsawg-pcapng): link type
// LINKTYPE_RAW, so that the data begin with the IP header, and timestamps in nanoseconds since the trace's origin,
// which a reader shows as 1 January 1970. A frame that was cut short keeps the original length. Each flow number is an
// interface of its own, named "flow N", in the order in which the flows appear; Wireshark can filter on that.
type PcapNG struct {
	w          *pcapgo.NgWriter
	interfaces map[uint32]int // by flow number
	err        error
}

// section describes the file. It has neither machine nor operating system, so that the same trace makes the same file
// everywhere.
var section = pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: "longhaul"}}

// NewPcapNG returns a sink that writes to w. The file header, with an interface for flow 0, is buffered at once, so
// that a trace without packets makes a valid file.
func NewPcapNG(w io.Writer) *PcapNG {
	ng, err := pcapgo.NewNgWriterInterface(w, flowInterface(0), section)
	return &PcapNG{w: ng, interfaces: map[uint32]int{0: 0}, err: err}
}

func flowInterface(flow uint32) pcapgo.NgInterface {
	return pcapgo.NgInterface{Name: fmt.Sprintf("flow %d", flow), LinkType: layers.LinkTypeRaw, TimestampResolution: 9}
}

// Record writes e if it is a packet. It keeps the first error for Err and Flush.
func (p *PcapNG) Record(e *trace.Event) {
	if p.err != nil || e.Kind != trace.Packet {
		return
	}
	id, ok := p.interfaces[e.Flow]
	if !ok {
		if id, p.err = p.w.AddInterface(flowInterface(e.Flow)); p.err != nil {
			return
		}
		p.interfaces[e.Flow] = id
	}
	p.err = p.w.WritePacket(gopacket.CaptureInfo{
		Timestamp:      time.Unix(0, int64(e.Time)),
		CaptureLength:  len(e.Frame),
		Length:         max(e.Length, len(e.Frame)),
		InterfaceIndex: id,
	}, e.Frame)
}

// Flush writes what is buffered and returns the first error of all.
func (p *PcapNG) Flush() error {
	if p.err == nil {
		p.err = p.w.Flush()
	}
	return p.Err()
}

// Err returns the first error of writing, or nil.
func (p *PcapNG) Err() error {
	if p.err == nil {
		return nil
	}
	return fmt.Errorf("capture: packets: %w", p.err)
}
