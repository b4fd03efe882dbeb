package cc

// All lists every algorithm, in the order of reports. A new one is one file and one line here.
var All = []Algorithm{
	tahoeAlgorithm,
	renoAlgorithm,
	scalableAlgorithm,
	highspeedAlgorithm,
	bicAlgorithm,
	bicLinuxAlgorithm,
	htcpAlgorithm,
	westwoodAlgorithm,
	cubicAlgorithm,
	cubicLinuxAlgorithm,
	bbrAlgorithm,
	hyblaAlgorithm,
}
