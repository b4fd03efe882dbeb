package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"longhaul/capture"
	"longhaul/trace"
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
		return nil, fmt.Errorf("--%s %q: cannot write that file (%w); name one in a directory that exists and is yours", flag, name, reason(err))
	}
	return &output{File: file}, nil
}

// reason returns why err failed, without the path, which the message has.
func reason(err error) error {
	if path := (*os.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
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

// write lets f write to the file, if there is one.
func (o *output) write(f func(io.Writer) error) error {
	if o == nil {
		return nil
	}
	return f(o)
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

// fileNames are the files that flags name, "" for none.
type fileNames struct{ csv, markdown, pcap, trace string }

// files are those files; each may be nil.
type files struct{ csv, markdown, pcap, trace *output }

// openFiles opens the files that the flags name.
func openFiles(names fileNames) (f files, err error) {
	var opened []*output
	for _, o := range []struct {
		flag, name string
		to         **output
	}{{"csv", names.csv, &f.csv}, {"markdown", names.markdown, &f.markdown}, {"pcap", names.pcap, &f.pcap}, {"trace", names.trace, &f.trace}} {
		if *o.to, err = create(o.flag, o.name); err != nil {
			return f, errors.Join(err, f.finish())
		}
		if slices.ContainsFunc(opened, (*o.to).same) {
			return f, errors.Join(fmt.Errorf("--%s %q: another flag names the same file; name a file for each", o.flag, o.name), f.finish())
		}
		opened = append(opened, *o.to)
	}
	return f, nil
}

// sinks returns what writes captures and traces to the files, nil where there is none.
func (f files) sinks() (packets, events trace.Sink) {
	if f.pcap != nil {
		sink := capture.NewPcapNG(f.pcap)
		packets, f.pcap.sink = sink, sink
	}
	if f.trace != nil {
		sink := capture.NewJSONLines(f.trace)
		events, f.trace.sink = sink, sink
	}
	return packets, events
}

// finish writes what is left and closes the files.
func (f files) finish() error {
	return errors.Join(f.csv.finish(), f.markdown.finish(), f.pcap.finish(), f.trace.finish())
}
