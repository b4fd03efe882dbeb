package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"

	"longhaul/lab"
)

// The measures of a drawing in pixels.
const (
	svgWidth, svgHeight = 900, 520
	svgLeft, svgRight   = 70, 190 // margins; the legend is on the right
	svgTop, svgBottom   = 50, 50
)

// svgStyle has the colours of a drawing for light and for dark grounds. The eight hues of the series differ for people who see few colours,
// too (Okabe and Ito, Color Universal Design, 2008).
const svgStyle = `<style>
svg{color:#222;background:#fff;font:13px system-ui,sans-serif}
.axis{stroke:#888}.grid{stroke:#ddd}text{fill:currentColor}.title{font-size:16px}
.c0{--c:#0072b2}.c1{--c:#d55e00}.c2{--c:#009e73}.c3{--c:#cc79a7}.c4{--c:#b58900}.c5{--c:#56b4e9}.c6{--c:#7b3fa0}.c7{--c:#555}.c8{--c:#a65628}
.dot{fill:var(--c)}.line{stroke:var(--c);fill:none;stroke-width:1.6}
@media(prefers-color-scheme:dark){svg{color:#ddd;background:#16181c}.axis{stroke:#777}.grid{stroke:#333}
.c0{--c:#4aa8e8}.c1{--c:#ff8c42}.c2{--c:#2ecc9a}.c3{--c:#e79ac4}.c4{--c:#e6c34a}.c5{--c:#8ad0ff}.c6{--c:#b990e0}.c7{--c:#aaa}.c8{--c:#d08a60}}
</style>
`

// svgHues is how many colours there are; a ninth series has its own, a tenth begins anew.
const svgHues = 9

// FigureSVG writes f as an SVG drawing of 900 by 520 pixels that needs nothing else. It fails only when w does.
func FigureSVG(w io.Writer, f lab.Figure) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n", svgWidth, svgHeight, svgWidth, svgHeight)
	fmt.Fprintf(&b, "<title>%s</title>\n%s", escapeXML(f.Title), svgStyle)
	fmt.Fprintf(&b, `<text class="title" x="%d" y="28">%s</text>`+"\n", svgLeft, escapeXML(f.Title))
	a := axesOf(f)
	a.draw(&b, f)
	for i, s := range f.Series {
		class := fmt.Sprintf("c%d", i%svgHues)
		fmt.Fprintf(&b, `<g class="%s">`, class)
		if s.Line {
			a.line(&b, s)
		}
		if !s.Line || len(s.Points) < 20 {
			for _, p := range s.Points {
				fmt.Fprintf(&b, `<circle class="dot" cx="%.1f" cy="%.1f" r="2.2"/>`, a.x.at(p.X), a.y.at(p.Y))
			}
		}
		y := svgTop + 10 + 20*i
		fmt.Fprintf(&b, `<rect class="dot" x="%d" y="%d" width="12" height="12"/></g><text x="%d" y="%d">%s</text>`+"\n",
			svgWidth-svgRight+15, y, svgWidth-svgRight+33, y+11, escapeXML(s.Name))
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// scale maps values on pixels.
type scale struct {
	log         bool
	least, most float64 // the ends; logarithms of ten where log is set, as is step
	step        float64
	from, to    float64 // their pixels
}

func (s scale) at(v float64) float64 {
	if s.log {
		v = math.Log10(v)
	}
	return s.from + (s.to-s.from)*(v-s.least)/(s.most-s.least)
}

// marks returns the values that an axis names.
func (s scale) marks() []float64 {
	var list []float64
	for i := 0; ; i++ {
		switch v := s.least + float64(i)*s.step; {
		case v > s.most+s.step/1000:
			return list
		case s.log:
			list = append(list, math.Pow(10, v))
		default:
			list = append(list, rounded(v))
		}
	}
}

// newScale returns a scale from 0 that ends on a round value, with some five steps.
func newScale(most, from, to float64) scale {
	if !(most > 0) || math.IsInf(most, 0) {
		most = 1
	}
	step := math.Pow(10, math.Floor(math.Log10(most/2)))
	for _, k := range []float64{1, 2, 2.5, 5, 10} {
		if most/(k*step) <= 6 {
			step *= k
			break
		}
	}
	return scale{most: step * math.Ceil(most/step), step: step, from: from, to: to}
}

// newLogScale returns a scale between powers of ten, with a step for each or, if they are many, for several.
func newLogScale(least, most, from, to float64) scale {
	if !(least > 0 && most >= least) || math.IsInf(most, 0) {
		least, most = 1, 1
	}
	s := scale{log: true, least: math.Floor(math.Log10(least) + 1e-9), most: math.Ceil(math.Log10(most) - 1e-9), from: from, to: to}
	s.step = math.Ceil(max(s.most-s.least, 1) / 10)
	s.most = s.least + s.step*math.Ceil(max(s.most-s.least, 1)/s.step)
	return s
}

// axes are the two scales of a drawing.
type axes struct{ x, y scale }

func axesOf(f lab.Figure) axes {
	axis := func(log bool, value func(lab.Point) float64, from, to float64) scale {
		least, most := math.Inf(1), 0.0
		for _, s := range f.Series {
			for _, p := range s.Points {
				least, most = min(least, value(p)), max(most, value(p))
			}
		}
		if log {
			return newLogScale(least, most, from, to)
		}
		return newScale(most, from, to)
	}
	return axes{
		axis(f.LogX, func(p lab.Point) float64 { return p.X }, svgLeft, svgWidth-svgRight),
		axis(f.LogY, func(p lab.Point) float64 { return p.Y }, svgHeight-svgBottom, svgTop),
	}
}

// draw draws the axes with their marks and names.
func (a axes) draw(b *strings.Builder, f lab.Figure) {
	for _, v := range a.x.marks() {
		x := a.x.at(v)
		fmt.Fprintf(b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			x, x, svgTop, svgHeight-svgBottom, x, svgHeight-svgBottom+18, a.x.label(v))
	}
	for _, v := range a.y.marks() {
		y := a.y.at(v)
		fmt.Fprintf(b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n",
			svgLeft, svgWidth-svgRight, y, y, svgLeft-8, y+4, a.y.label(v))
	}
	fmt.Fprintf(b, `<path class="axis" fill="none" d="M%d %dV%dH%d"/>`+"\n", svgLeft, svgTop, svgHeight-svgBottom, svgWidth-svgRight)
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", (svgLeft+svgWidth-svgRight)/2, svgHeight-12, escapeXML(f.X))
	fmt.Fprintf(b, `<text transform="translate(18 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", (svgTop+svgHeight-svgBottom)/2, escapeXML(f.Y))
}

// label writes a mark.
func (s scale) label(v float64) string {
	if s.log {
		return fmt.Sprintf("1e%.0f", math.Log10(v))
	}
	return number(v)
}

// line joins a series' points.
func (a axes) line(b *strings.Builder, s lab.Series) {
	b.WriteString(`<polyline class="line" points="`)
	for i, p := range s.Points {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(b, "%.1f,%.1f", a.x.at(p.X), a.y.at(p.Y))
	}
	b.WriteString(`"/>`)
}

// rounded takes off what adding steps has added.
func rounded(v float64) float64 { return math.Round(v*1e9) / 1e9 }

// escapeXML escapes s for XML.
func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}
