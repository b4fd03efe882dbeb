package lab

// Results is what a comparison found: one Result per stack, in the order asked for. It is plain data and marshals to
// the JSON document that the commands print; a given seed gives the same octets whatever the number of workers.
type Results struct {
	Path     PathResult `json:"path"`
	Seed     uint64     `json:"seed"`
	Duration float64    `json:"duration_s"`             // seconds of virtual time per run
	Window   int64      `json:"window_bytes,omitempty"` // octets of socket buffer per stack at each end; 0 means autotuned
	Bytes    int64      `json:"bytes,omitempty"`        // octets each stack had to move; 0 means as many as it could
	Repeat   int        `json:"repeat"`                 // runs behind each Result
	Results  []Result   `json:"results"`
}

// PathResult is the path of a comparison, resolved: a queue asked for in BDP is here in octets.
type PathResult struct {
	Rate         int64   `json:"rate_bps"`                // bottleneck, bits per second, data direction
	ReverseRate  int64   `json:"reverse_rate_bps"`        // bits per second, ACK direction
	RTT          float64 `json:"rtt_ms"`                  // propagation both ways, milliseconds
	Loss         float64 `json:"loss"`                    // probability that a packet is lost, data direction only
	BER          float64 `json:"ber"`                     // bit error rate, both directions
	QueuePackets int     `json:"queue_packets,omitempty"` // packets; at most one of the two is set, neither means unlimited
	QueueBytes   int     `json:"queue_bytes,omitempty"`   // octets
	BDP          int64   `json:"bdp_bytes"`               // rate x RTT, octets
}

// Result is what one stack did on the path. Every number is the mean over the repeated runs; Definitions (and
// `longhaul explain`) says what each key means. A nil pointer is a figure that the run was too short to give.
type Result struct {
	Stack           string             `json:"stack"`
	Streams         int                `json:"streams"`
	GoodputBps      float64            `json:"goodput_bps"`
	SteadyBps       float64            `json:"steady_bps"`
	LimitBps        float64            `json:"limit_bps"`
	FractionOfLimit float64            `json:"fraction_of_limit"`
	Stability       *float64           `json:"stability"`
	StabilityWhole  *float64           `json:"stability_whole"`
	Fairness        *float64           `json:"fairness"`
	RTT             *RTT               `json:"rtt_ms"`
	Convergence     *float64           `json:"convergence_s"`
	Connect         *float64           `json:"connect_s"`
	Completion      *float64           `json:"completion_s,omitempty"`
	Retransmitted   float64            `json:"retransmitted"`
	RetransShare    float64            `json:"retransmitted_share"`
	Timeouts        float64            `json:"timeouts"`
	TimeoutShare    float64            `json:"timeout_share"`
	FastRetransmits float64            `json:"fast_retransmits"`
	Spurious        float64            `json:"spurious"`
	LinkDrops       LinkDrops          `json:"link_drops"`
	BoundBy         string             `json:"bound_by"`
	Samples         []float64          `json:"samples_bps"`
	Curve           []CurvePoint       `json:"curve,omitempty"`
	Sequence        []SequencePoint    `json:"-"`
	CI95            map[string]float64 `json:"ci95,omitempty"`
}

// CurvePoint is the state of a flow's senders at one instant, its streams added up.
type CurvePoint struct {
	Time     float64 `json:"t_s"`             // seconds since the run began
	Window   int64   `json:"window_bytes"`    // congestion window, octets
	InFlight int64   `json:"in_flight_bytes"` // octets
}

// SequencePoint is one segment that the first stream of a flow sent, or one ACK that it took in, in the order of time.
type SequencePoint struct {
	Time  float64 // seconds since the run began
	Octet int64   // offset in the stream: of the segment's first octet, or what is acknowledged
	Sub   int     // sub-connection of the segment, from 0
	ACK   bool
	Again bool // the segment had been sent before
}

// RTT is the distribution of the probe's round-trip times in milliseconds.
type RTT struct {
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
}

// LinkDrops counts the packets of the data direction that the path did not deliver, by cause.
type LinkDrops struct {
	Queue  float64 `json:"queue"`  // no room in the queue
	Loss   float64 `json:"loss"`   // the loss models
	Error  float64 `json:"error"`  // damaged: the frame check dropped them
	Outage float64 `json:"outage"` // the link was down
}

// The values of Result.BoundBy: what kept the stack from going faster.
const (
	BoundByLink       = "link"
	BoundByWindow     = "window"
	BoundByLoss       = "loss"
	BoundByTimeout    = "timeout"
	BoundByStartup    = "startup"
	BoundByController = "controller"
)
