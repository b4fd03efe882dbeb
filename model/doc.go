// Package model is what the literature says about TCP's throughput: closed formulas, each with its source, its units and
// the domain in which it holds.
//
//	p := model.PacketLoss(1e-7, 1500)                                  // bit errors to packet loss
//	r := model.Mathis(1460, 600*time.Millisecond, p, model.DelayedACK) // bits per second
//	l := model.Limits{Link: model.LinkPayload(2e6, 1460, 1500), Window: model.WindowRate(256000, rtt)}
//	rate, bound := l.Apply(r)                                          // a formula knows neither link nor window
//
// Sizes are in octets, rates in bits per second of payload, windows in segments, probabilities from 0 to 1. A formula returns
// +Inf where nothing is lost. Outside its domain it still returns its value: InDomain and Response.Most say how far to believe it.
//
// Not here: anything that runs. What a stack really does is simulated by package lab.
package model
