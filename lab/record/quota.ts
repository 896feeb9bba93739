/** Records the quota facts that kube-apiserver's own evaluator finds in generated Pods, for the tests. */
import { join } from 'node:path'
import { command, number, text } from '../command.ts'
import { root } from '../root.ts'
import { recordPods } from './generated-pods.ts'
import { generatedPods } from './quota/pods.ts'

export default command({
  options: {
    count: number('N', 'the Pods', 150),
    seed: number('N', 'makes other Pods', 1),
    out: text('FILE', 'receives the recording', join(root, 'conformance/recorded/quota.jsonl')),
  },
  run({ count, seed, out }) {
    recordPods({ pods: generatedPods(count, seed), program: 'quota/evaluate', answer: 'facts', file: out })
  },
})
