package arch

// Zone is a package's place in the order of imports.
type Zone struct {
	Rank int  // it imports only lower ranks
	Pure bool // no clock, goroutine, operating system or unseeded random number
}

// Ranks is the table of DESIGN.md: every package of the module by its directory. A package that is not here fails.
var Ranks = map[string]Zone{
	"mono":            {0, true},
	"units":           {0, true},
	"model":           {0, true},
	"wire":            {1, true},
	"cc":              {1, true},
	"trace":           {1, true},
	"tcp":             {2, true},
	"link":            {2, true},
	"capture":         {2, true},
	"sim":             {3, true},
	"device":          {3, false},
	"stacks":          {3, true},
	"host":            {4, false},
	"emulate":         {4, false},
	"lab":             {4, false},
	"internal/script": {4, false},
	"experiments":     {5, true},
	"report":          {5, true},
	"iperf":           {5, false},
	"tunnel":          {5, false},
	"validate":        {6, false},
	"cmd/longhaul":    {7, false},
	"internal/arch":   {8, false}, // above all, so that nothing imports it
}

// apart are pairs that never import each other, whatever their ranks: virtual time and real time.
var apart = [][2]string{{"sim", "device"}, {"sim", "host"}, {"sim", "emulate"}}

// The size caps of DESIGN.md.
const (
	maxSourceLines  = 600
	maxTestLines    = 1000
	maxFuncLines    = 80
	maxFields       = 30
	maxMethods      = 5
	maxSourceFiles  = 45
	maxPackageLines = 60 // of doc.go
)

// drawers are package names that say nothing about what is inside.
var drawers = map[string]bool{
	"util": true, "utils": true, "common": true, "helper": true, "helpers": true, "types": true, "base": true,
}
