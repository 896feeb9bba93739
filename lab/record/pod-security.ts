/** Records the violations that kube-apiserver's own checks find in generated Pods, for the tests. */
import { join } from 'node:path'
import { command, number, text } from '../command.ts'
import { root } from '../root.ts'
import { recordPods } from './generated-pods.ts'
import { generatedPods } from './pod-security/pods.ts'

export default command({
  options: {
    count: number('N', 'the Pods', 110),
    seed: number('N', 'makes other Pods', 1),
    out: text('FILE', 'receives the recording', join(root, 'conformance/recorded/pod-security.jsonl')),
  },
  run({ count, seed, out }) {
    recordPods({ pods: generatedPods(count, seed), program: 'pod-security/evaluate', answer: 'results', file: out })
  },
})
