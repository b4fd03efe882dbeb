package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"longhaul/lab"
	"longhaul/units"
)

// grid is a lab.Table as people read it: the first keys columns say which case a line is about, the others hold figures.
type grid struct {
	keys int
	rows [][]string // the headings, and a line per case; all of one length
}

// gridLine is a line of a grid in the making: its place, and the row of data of each column.
type gridLine struct {
	at    []string
	cells map[string]*lab.Row
}

// pivot lays t out. Rows that differ in the coordinate t.Across alone share a line; lines, columns and keys come in the
// order in which the rows first have them. A column is followed by its references where it has any.
func pivot(t *lab.Table) grid {
	var keys, columns []string
	referred := map[string]bool{}
	for i := range t.Rows {
		row := &t.Rows[i]
		for _, c := range row.Case {
			if c.Key != t.Across {
				keys = appendNew(keys, c.Key)
			}
		}
		column := coordinate(row.Case, t.Across)
		columns = appendNew(columns, column)
		referred[column] = referred[column] || row.Reference != nil
	}
	head := slices.Clone(keys)
	for _, column := range columns {
		if column == "" {
			head = append(head, "measured")
		} else {
			head = append(head, t.Across+" "+column)
		}
		if referred[column] {
			head = append(head, "reference")
		}
	}
	g := grid{len(keys), [][]string{head}}
	for _, line := range gridLines(t, keys) {
		cells := line.at
		for _, column := range columns {
			measured, reference := "", ""
			if row := line.cells[column]; row != nil {
				measured = measurement(row)
				if row.Reference != nil {
					reference = figure(*row.Reference, row.Unit)
				}
			}
			cells = append(cells, measured)
			if referred[column] {
				cells = append(cells, reference)
			}
		}
		g.rows = append(g.rows, cells)
	}
	return g
}

// gridLines gathers the rows of t that share a line. A row whose place is taken begins a new one.
func gridLines(t *lab.Table, keys []string) []gridLine {
	var lines []gridLine
	for i := range t.Rows {
		row := &t.Rows[i]
		at := make([]string, len(keys))
		for k, key := range keys {
			at[k] = coordinate(row.Case, key)
		}
		column := coordinate(row.Case, t.Across)
		k := slices.IndexFunc(lines, func(l gridLine) bool { return slices.Equal(l.at, at) && l.cells[column] == nil })
		if k < 0 {
			k = len(lines)
			lines = append(lines, gridLine{at, map[string]*lab.Row{}})
		}
		lines[k].cells[column] = row
	}
	return lines
}

// appendNew appends s to list unless it is there.
func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// coordinate writes the value of that key, or nothing when the case has none.
func coordinate(at lab.Coordinates, key string) string {
	for _, c := range at {
		if c.Key == key {
			return value(c)
		}
	}
	return ""
}

// value writes a coordinate's value, a number with every digit and as 1e-7.
func value(c lab.Coordinate) string {
	x, ok := c.Value.(float64)
	if !ok {
		return fmt.Sprint(c.Value)
	}
	if x > 0 && x < 1e-3 {
		return strings.Replace(strconv.FormatFloat(x, 'e', -1, 64), "e-0", "e-", 1)
	}
	return fmt.Sprint(x)
}

// place writes a whole case: "window=64K;ber=1e-7" with the separator ";".
func place(at lab.Coordinates, separator string) string {
	parts := make([]string, len(at))
	for i, c := range at {
		parts[i] = c.Key + "=" + value(c)
	}
	return strings.Join(parts, separator)
}

// measurement writes what was measured with its confidence interval, in percent of it.
func measurement(r *lab.Row) string {
	text := figure(r.Measured, r.Unit)
	if r.CI95 != nil && r.Measured != 0 {
		text += " ±" + percent(math.Abs(*r.CI95/r.Measured))
	}
	return text
}

// figure writes x, which is in that unit.
func figure(x float64, unit string) string {
	switch {
	case unit == "":
		return units.Significant(x)
	case unit == "B/s":
		return units.FormatBytes(x) + "/s"
	case unit == "bit/s":
		return units.FormatRate(x)
	case unit == "B":
		return units.FormatBytes(x)
	case unit == "s" && math.Abs(x) < 1:
		return units.FormatDuration(time.Duration(math.Round(x * 1e9)))
	case unit == "s":
		return units.Significant(x) + " s"
	}
	return count(x) + " " + unit
}
