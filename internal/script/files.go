package script

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Files returns the scripts that the arguments name, in order: a directory stands for every *.pkt in it and below.
func Files(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, readError(arg, err)
		}
		if !info.IsDir() {
			files = append(files, arg)
			continue
		}
		before := len(files)
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && filepath.Ext(path) == ".pkt" {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, readError(arg, err)
		}
		if len(files) == before {
			return nil, fmt.Errorf("%s: there is no *.pkt in this directory; name a script or another directory", arg)
		}
	}
	return files, nil
}

// readError says which file cannot be read and why.
func readError(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w; name a script that can be read", name, err)
}

// RunFiles runs scripts, as many at a time as workers says, and returns their results in the order of the files. Of those
// that cannot be read or parsed it returns the errors instead, each with the file's name.
func RunFiles(files []string, o Options, workers int) (results []Result, unreadable []error) {
	type outcome struct {
		result Result
		err    error
	}
	outcomes := make([]outcome, len(files))
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(workers, 1) {
		wg.Go(func() {
			for i := range next {
				outcomes[i].result, outcomes[i].err = runFile(files[i], o)
			}
		})
	}
	for i := range files {
		next <- i
	}
	close(next)
	wg.Wait()
	for _, out := range outcomes {
		if out.err != nil {
			unreadable = append(unreadable, out.err)
		} else {
			results = append(results, out.result)
		}
	}
	return results, unreadable
}

// runFile runs one script.
func runFile(name string, o Options) (Result, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return Result{}, readError(name, err)
	}
	s, err := Parse(name, text)
	if err != nil {
		return Result{}, err
	}
	return s.Run(o), nil
}
