// Evaluates Pods with the checks of kube-apiserver. Reads Pods as lines of JSON, and writes one line for each: for `baseline` and
// `restricted` the text about the violations ("" if the Pod is allowed) in each version in which it changes.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

const newestMinor = 36

type change struct {
	Since int    `json:"since"`
	Text  string `json:"text"`
}

type result struct {
	Baseline   []change `json:"baseline"`
	Restricted []change `json:"restricted"`
}

func changes(evaluator policy.Evaluator, level api.Level, pod *corev1.Pod) []change {
	var found []change
	for minor := 0; minor <= newestMinor; minor++ {
		standard := api.LevelVersion{Level: level, Version: api.MajorMinorVersion(1, minor)}
		results := policy.AggregateCheckResults(evaluator.EvaluatePod(standard, &pod.ObjectMeta, &pod.Spec))
		text := results.ForbiddenDetail()
		if len(found) == 0 || found[len(found)-1].Text != text {
			found = append(found, change{minor, text})
		}
	}
	return found
}

func main() {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		pod := &corev1.Pod{}
		if err := json.Unmarshal(lines.Bytes(), pod); err != nil {
			panic(err)
		}
		err := out.Encode(result{changes(evaluator, api.LevelBaseline, pod), changes(evaluator, api.LevelRestricted, pod)})
		if err != nil {
			panic(err)
		}
	}
}
