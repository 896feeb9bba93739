// Command starts measures how long envtest waits for its servers, and the processor time that they have taken by then, where
// there is /proc: it starts and stops them with the assets of each directory in turn, and prints the milliseconds, a line of JSON
// for each start.
//
//	go run ./starts TIMES ASSETS...
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

type measurement struct {
	Assets      string  `json:"assets"`
	StartMs     float64 `json:"startMs"`
	ProcessorMs float64 `json:"processorMs"`
	StopMs      float64 `json:"stopMs"`
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
			processor := processorMs(os.Getpid())
			stopping := time.Now()
			if err := environment.Stop(); err != nil {
				panic(err)
			}
			result := measurement{assets, milliseconds(started.Sub(began)), processor, milliseconds(time.Since(stopping))}
			if err := output.Encode(result); err != nil {
				panic(err)
			}
		}
	}
}

// processorMs sums the processor time of the running descendants of a process, with that of their children that have ended.
func processorMs(parent int) float64 {
	children, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	var sum float64
	for _, file := range children {
		text, _ := os.ReadFile(file)
		for _, child := range strings.Fields(string(text)) {
			id, _ := strconv.Atoi(child)
			sum += ownMs(id) + processorMs(id)
		}
	}
	return sum
}

// ownMs reads the processor time of a process, which is counted in hundredths of a second: utime, stime, cutime and cstime.
func ownMs(id int) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	_, fields, _ := strings.Cut(string(text), ") ")
	var sum float64
	for index, field := range strings.Fields(fields) {
		if index >= 11 && index <= 14 {
			hundredths, _ := strconv.ParseFloat(field, 64)
			sum += hundredths * 10
		}
	}
	return sum
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}
