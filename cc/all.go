package cc

// All lists every algorithm, in the order of reports. A new one is one file and one line here.
var All = []Algorithm{
	tahoeAlgorithm,
	renoAlgorithm,
	scalableAlgorithm,
	fastAlgorithm,
	fast20Algorithm,
	highspeedAlgorithm,
	hstcplpAlgorithm,
	bicAlgorithm,
	bicLinuxAlgorithm,
	htcpAlgorithm,
	vegasAlgorithm,
	bfaAlgorithm,
	westwoodAlgorithm,
	cubicAlgorithm,
	cubicLinuxAlgorithm,
	bbrAlgorithm,
	bbr3Algorithm,
	udtAlgorithm,
	hyblaAlgorithm,
	illinoisAlgorithm,
	venoAlgorithm,
	yeahAlgorithm,
	lpAlgorithm,
	ledbatAlgorithm,
}
