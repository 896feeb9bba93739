/** Runs a benchmark: npm run bench -- NAME. The names are listed below; each file documents its options. */

import { admissionSideBySide } from './admission-side-by-side.ts'
import { aggregation } from './aggregation.ts'
import { clusterRequests } from './cluster-requests.ts'
import { clusters } from './clusters.ts'
import { customObjects } from './custom-objects.ts'
import { customSideBySide } from './custom-side-by-side.ts'
import { definitionsBench } from './definitions.ts'
import { engines } from './engines.ts'
import { envtest } from './envtest.ts'
import { envtestWaits } from './envtest-waits.ts'
import { fairness } from './fairness.ts'
import { fanOut } from './fan-out.ts'
import { forks } from './forks.ts'
import { history } from './history.ts'
import { limits } from './limits.ts'
import { lists } from './lists.ts'
import { sideBySide } from './side-by-side.ts'
import { startUp } from './start-up.ts'
import { testClusters } from './test-clusters.ts'

const [name = 'engines', ...rest] = process.argv.slice(2)
const benchmarks: Readonly<Record<string, () => void | Promise<void>>> = {
  aggregation: () => aggregation(rest),
  'cluster-requests': () => clusterRequests(rest),
  clusters: () => clusters(rest),
  'custom-objects': customObjects,
  'custom-side-by-side': () => customSideBySide(rest),
  definitions: () => definitionsBench(rest),
  engines,
  envtest: () => envtest(rest),
  'envtest-waits': () => envtestWaits(rest),
  fairness: () => fairness(rest),
  'fan-out': () => fanOut(rest),
  forks: () => forks(rest),
  history: () => history(rest),
  limits: () => limits(rest),
  lists,
  'admission-side-by-side': () => admissionSideBySide(rest),
  'start-up': () => startUp(rest),
  'side-by-side': () => sideBySide(rest),
  'test-clusters': () => testClusters(rest),
}
const benchmark = benchmarks[name]
if (benchmark === undefined) {
  console.error(`no benchmark ${name}; there are ${Object.keys(benchmarks).join(', ')}`)
  process.exit(1)
}
await benchmark()
