package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"longhaul/internal/script"
)

// scriptCommand makes "longhaul script".
func scriptCommand(c console) *cobra.Command {
	var (
		demand script.Options
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "script FILE...",
		Short: "Run packet scripts against the engine",
		Long: `script runs packet scripts against the engine in virtual time: texts that say at what time the engine is given which segment or
system call, and with which segment it must answer when. A directory stands for every *.pkt in it and below.

A script passes, fails, is partly judged (it asserts something that the engine does not offer) or is not applicable (it needs
something that cannot be run here). The exit status is 1 when one fails, and 2 when one cannot be read.`,
		Example: "  longhaul script handshake.pkt\n  longhaul script --exact --quiet scripts/",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("%s needs a script or a directory of scripts; see %[1]s --help", cmd.CommandPath())
			}
			files, err := script.Files(args)
			if err != nil {
				return err
			}
			results, unreadable := script.RunFiles(files, demand, runtime.GOMAXPROCS(0))
			report := script.NewReport(results)
			write := report.WriteText
			if asJSON {
				write = report.WriteJSON
			}
			if err := write(c.out); err != nil {
				return failed(err)
			}
			if n := len(unreadable); n > 0 {
				for _, err := range unreadable[:n-1] {
					fmt.Fprintln(c.err, "longhaul:", err)
				}
				return unreadable[n-1]
			}
			if n := report.Counts.Fail; n > 0 {
				return failed(fmt.Errorf("%d of %d scripts failed", n, len(results)))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&demand.Exact, "exact", false, "allow times to be off by 1 ms, or by what the script says, and no more")
	f.BoolVar(&demand.Quiet, "quiet", false, "fail when the engine sends a packet that the script does not expect")
	f.BoolVar(&demand.Segments, "strict-segments", false, "take an expected packet for one segment, never for several in a row")
	f.BoolVar(&asJSON, "json", false, "print one JSON document instead")
	return cmd
}
