// Longhaul tells which TCP fills a long, fat or lossy path.
//
//	longhaul compare --rate 1gbit --rtt 170ms --loss 1e-5
//	longhaul reproduce all
//	longhaul model --rtt 600ms --target 500kbit
//	longhaul stacks
//	longhaul explain fraction_of_limit
//	longhaul script handshake.pkt
//
// The command is flags only: package lab runs comparisons, package experiments repeats published ones, package report
// writes what they found, and package internal/script runs packet scripts. Tables and documents go to standard output,
// progress to standard error. The exit status is 0 when done, 1 when a run failed, and 2 when the command line is wrong,
// with one line on standard error that says what is wrong and how to mend it.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

func main() {
	os.Exit(run(os.Args[1:], console{os.Stdout, os.Stderr, term.IsTerminal(int(os.Stderr.Fd()))}))
}

// console is where the command writes.
type console struct {
	out, err io.Writer
	terminal bool // err is a terminal, so progress may be drawn there
}

// failure is an error of a run, as opposed to one of the command line.
type failure struct{ error }

// failed wraps err, if there is one, as a failure.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}

// run executes a command line and returns the exit status.
func run(args []string, c console) int {
	root := &cobra.Command{
		Use:           "longhaul",
		Short:         "Which TCP fills a long, lossy path?",
		Long:          "longhaul tells which TCP fills a long, fat or lossy path, and why the others do not.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		DisableFlagsInUseLine:      true,
		SuggestionsMinimumDistance: 2,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.SetOut(c.out)
	root.SetErr(c.err)
	root.SetArgs(args)
	root.AddCommand(compareCommand(c), reproduceCommand(c), modelCommand(c), stacksCommand(c), explainCommand(c), scriptCommand(c))
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			target, rest, _ := root.Find(args) // with Args set it leaves what it does not know in rest
			if len(rest) > 0 {
				return unknownCommand(root, args)
			}
			return target.Help()
		},
	})

	err := root.Execute()
	if err == nil {
		return 0
	}
	line := strings.ReplaceAll(err.Error(), "\n", "; ")
	fmt.Fprintln(c.err, "longhaul:", strings.Join(strings.Fields(line), " "))
	if errors.As(err, new(failure)) {
		return 1
	}
	return 2
}

// unknownCommand is the error for args that name no command.
func unknownCommand(root *cobra.Command, args []string) error {
	name := strings.Join(args, " ")
	if similar := root.SuggestionsFor(name); name != "" && len(similar) > 0 {
		return fmt.Errorf("unknown command %q; did you mean %s?", name, similar[0])
	}
	return fmt.Errorf("unknown command %q; see %s --help", name, root.Name())
}

// flagError rewrites an error of the flag parser so that it says how to mend the command line.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var number *strconv.NumError
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return err
	case !errors.As(err, &value):
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	case errors.As(err, &number), value.GetFlag().Value.Type() == "bool":
		return fmt.Errorf("--%s %q: not a value of that flag; see %s --help", value.GetFlag().Name, value.GetValue(), cmd.CommandPath())
	}
	return fmt.Errorf("--%s: %w", value.GetFlag().Name, value.Unwrap())
}

// noArguments refuses arguments that are not flags.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes flags only, not %q; see %[1]s --help", cmd.CommandPath(), args[0])
	}
	return nil
}
