// Command starts measures how long envtest waits for its servers: it starts and stops them with the assets of each directory in
// turn, and prints the milliseconds, a line of JSON for each start.
//
//	go run ./starts TIMES ASSETS...
package main

import (
	"encoding/json"
	"os"
	"strconv"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

type measurement struct {
	Assets  string  `json:"assets"`
	StartMs float64 `json:"startMs"`
	StopMs  float64 `json:"stopMs"`
}

func main() {
	times, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	output := json.NewEncoder(os.Stdout)
	for range times {
		for _, assets := range os.Args[2:] {
			environment := &envtest.Environment{BinaryAssetsDirectory: assets}
			began := time.Now()
			if _, err := environment.Start(); err != nil {
				panic(err)
			}
			started := time.Now()
			if err := environment.Stop(); err != nil {
				panic(err)
			}
			result := measurement{assets, milliseconds(started.Sub(began)), milliseconds(time.Since(started))}
			if err := output.Encode(result); err != nil {
				panic(err)
			}
		}
	}
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}
