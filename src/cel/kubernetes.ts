/** The environment of Kubernetes: what every expression in its API may use (k8s.io/apiserver/pkg/cel/environment, release 1.36). */
import { RE2JS } from 're2js'
import { Environment } from './environment.ts'
import { COMPREHENSIONS } from './libraries/comprehensions.ts'
import { KUBERNETES_LISTS, LISTS, SETS } from './libraries/lists.ts'
import { OPTIONALS } from './libraries/optionals.ts'
import { STANDARD } from './libraries/standard.ts'
import { STRINGS } from './libraries/strings.ts'
import { regexEngine } from './regex.ts'

/** The base of all environments, without variables. */
export const KUBERNETES: Environment = Environment.of(
  [STANDARD, KUBERNETES_LISTS, OPTIONALS, STRINGS, SETS, COMPREHENSIONS, LISTS],
  regexEngine(RE2JS),
)
