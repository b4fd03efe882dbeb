package main

import (
	"errors"
	"fmt"
	"os"

	"longhaul/capture"
	"longhaul/lab"
)

// output is a file that a command writes: opened before the run, so that a bad name fails at once.
type output struct {
	*os.File
	sink interface{ Flush() error } // what writes to it and has a buffer; may be nil
}

// create opens the file that a flag names; no name gives nil. The error says which flag is wrong.
func create(flag, name string) (*output, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Create(name)
	if err != nil {
		reason := err
		if path := (*os.PathError)(nil); errors.As(err, &path) {
			reason = path.Err
		}
		return nil, fmt.Errorf("--%s %q: cannot write that file (%w); name one in a directory that exists and is yours", flag, name, reason)
	}
	return &output{File: file}, nil
}

// same reports whether o and p are one regular file, by whatever names. A device may be written to twice.
func (o *output) same(p *output) bool {
	if o == nil || p == nil {
		return false
	}
	a, err := o.Stat()
	b, err2 := p.Stat()
	return errors.Join(err, err2) == nil && a.Mode().IsRegular() && os.SameFile(a, b)
}

// finish writes what is left and closes the file.
func (o *output) finish() error {
	if o == nil {
		return nil
	}
	var err error
	if o.sink != nil {
		err = o.sink.Flush()
	}
	return errors.Join(err, o.Close())
}

// files are the files of a comparison; each may be nil.
type files struct{ csv, pcap, trace *output }

// openFiles opens the files that the flags name.
func openFiles(csv, pcap, trace string) (f files, err error) {
	for _, o := range []struct {
		flag, name string
		to         **output
	}{{"csv", csv, &f.csv}, {"pcap", pcap, &f.pcap}, {"trace", trace, &f.trace}} {
		if *o.to, err = create(o.flag, o.name); err != nil {
			return f, errors.Join(err, f.finish())
		}
	}
	if f.csv.same(f.pcap) || f.csv.same(f.trace) || f.pcap.same(f.trace) {
		return f, errors.Join(errors.New("two of --csv, --pcap and --trace name the same file; name a file for each"), f.finish())
	}
	return f, nil
}

// attach makes the files take what s records.
func (f files) attach(s *lab.Scenario) {
	if f.pcap != nil {
		sink := capture.NewPcapNG(f.pcap)
		s.Packets, f.pcap.sink = sink, sink
	}
	if f.trace != nil {
		sink := capture.NewJSONLines(f.trace)
		s.Trace, f.trace.sink = sink, sink
	}
}

// finish writes what is left and closes the files.
func (f files) finish() error {
	return errors.Join(f.csv.finish(), f.pcap.finish(), f.trace.finish())
}
