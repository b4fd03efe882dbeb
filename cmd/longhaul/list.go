package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"longhaul/lab"
	"longhaul/report"
)

// stacksCommand makes "longhaul stacks".
func stacksCommand(c console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "stacks",
		Short:   "List what the name of a stack can be made of",
		Example: "  longhaul stacks\n  longhaul stacks --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return failed(report.StacksJSON(c.out))
			}
			return failed(report.StacksText(c.out))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document instead")
	return cmd
}

// explainCommand makes "longhaul explain".
func explainCommand(c console) *cobra.Command {
	return &cobra.Command{
		Use:     "explain METRIC",
		Short:   "Say what a figure means and where its definition comes from",
		Long:    "explain prints the definition of one figure of the reports, or of all when none is named.",
		Example: "  longhaul explain fraction_of_limit\n  longhaul explain",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("%s takes one metric, not %d", cmd.CommandPath(), len(args))
			}
			if len(args) == 1 {
				text, err := lab.Explain(args[0])
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(c.out, text)
				return failed(err)
			}
			for i, d := range lab.Definitions {
				if i > 0 {
					fmt.Fprintln(c.out)
				}
				if _, err := fmt.Fprintln(c.out, d); err != nil {
					return failed(err)
				}
			}
			return nil
		},
	}
}
