// Prints the quota facts of the Pods in its input, one JSON object per line: their use, the error if all requests and limits of cpu
// and memory are limited, and the scopes that they are in.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	"k8s.io/utils/clock"
)

func main() {
	evaluator := core.NewPodEvaluator(nil, clock.RealClock{})
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<24)
	for in.Scan() {
		pod := &corev1.Pod{}
		if err := json.Unmarshal(in.Bytes(), pod); err != nil {
			panic(err)
		}
		usage, err := evaluator.Usage(pod)
		if err != nil {
			panic(err)
		}
		required := []corev1.ResourceName{"cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"}
		why := ""
		if err := evaluator.Constraints(required, pod); err != nil {
			why = err.Error()
		}
		scopes := []string{}
		for _, name := range []corev1.ResourceQuotaScope{"Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity"} {
			matched, err := evaluator.MatchingScopes(pod, []corev1.ScopedResourceSelectorRequirement{{ScopeName: name, Operator: "Exists"}})
			if err != nil {
				panic(err)
			}
			if len(matched) > 0 {
				scopes = append(scopes, string(name))
			}
		}
		text, _ := json.Marshal(map[string]any{"usage": usage, "constraint": why, "scopes": scopes})
		fmt.Println(string(text))
	}
}
