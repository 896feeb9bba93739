/**
 * The environment of Kubernetes: the libraries that every expression in its API may use (k8s.io/apiserver/pkg/cel/environment,
 * release 1.36).
 */
import { Environment } from './environment.ts'
import { CIDR, IP } from './libraries/addresses.ts'
import { AUTHORIZER } from './libraries/authorizer.ts'
import { COMPREHENSIONS } from './libraries/comprehensions.ts'
import { FORMAT } from './libraries/format.ts'
import { KUBERNETES_LISTS, LISTS, SETS } from './libraries/lists.ts'
import { OPTIONALS } from './libraries/optionals.ts'
import { QUANTITY } from './libraries/quantity.ts'
import { REGEX } from './libraries/regex.ts'
import { SEMVER } from './libraries/semver.ts'
import { STANDARD } from './libraries/standard.ts'
import { STRINGS } from './libraries/strings.ts'
import { URLS } from './libraries/urls.ts'
import type { Library } from './library.ts'

/** The libraries in the order in which kube-apiserver adds them. */
const LIBRARIES: readonly Library[] = [
  STANDARD,
  URLS,
  REGEX,
  KUBERNETES_LISTS,
  AUTHORIZER,
  OPTIONALS,
  QUANTITY,
  STRINGS,
  SETS,
  IP,
  CIDR,
  FORMAT,
  COMPREHENSIONS,
  SEMVER,
  LISTS,
]

/** The base of all environments, without variables. */
export const KUBERNETES: Environment = Environment.of(LIBRARIES)
