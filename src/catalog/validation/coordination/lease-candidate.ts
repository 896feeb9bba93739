/** Checks of LeaseCandidates. Follows k8s.io/kubernetes/pkg/apis/coordination/validation. */
import { compareVersions, parseVersion, type Version } from '../../../cel/libraries/semver.ts'
import type { LeaseCandidate } from '../../generated/types/coordination.v1beta1.ts'
import { type Errors, validator } from '../checks.ts'

const oldestEmulationVersion = 'OldestEmulationVersion'
const zero = parseVersion('0.0.0')

/** Checks a version. Returns 0.0.0 for an absent or invalid one, as upstream goes on with it. */
function checkedVersion(text: string, field: string, errors: Errors): Version {
  if (text === '') return zero
  try {
    return parseVersion(text)
  } catch {
    errors.invalid(field, text, 'must be a valid semantic version')
    return zero
  }
}

function checkStrategy(strategy: string, field: string, errors: Errors): void {
  if (strategy.includes('/')) errors.checkQualifiedName(strategy, field)
  else errors.checkSupported(strategy, [oldestEmulationVersion], field)
}

/** Validates a LeaseCandidate, except its metadata. */
export const validateLeaseCandidate = validator((errors, { spec }: LeaseCandidate) => {
  const { leaseName, binaryVersion, emulationVersion = '', strategy = '' } = spec
  if (leaseName === '') errors.required('spec.leaseName')
  const emulated = checkedVersion(emulationVersion, 'spec.emulationVersion', errors)
  if (binaryVersion === '') errors.required('spec.binaryVersion')
  const binary = checkedVersion(binaryVersion, 'spec.binaryVersion', errors)
  if (binaryVersion !== '' && emulationVersion !== '' && compareVersions(binary, emulated) < 0) {
    errors.invalid('spec.binaryVersion', binaryVersion, 'must be greater than or equal to `emulationVersion`')
  }
  if (strategy === '') {
    errors.required('spec.strategy')
    return
  }
  if (strategy === oldestEmulationVersion && compareVersions(emulated, zero) === 0) {
    errors.required('spec.emulationVersion', "must be specified when `strategy` is 'OldestEmulationVersion'")
  }
  checkStrategy(strategy, 'spec.strategy.strategy', errors)
})

/** Validates an update of a LeaseCandidate, except its metadata. */
export function validateLeaseCandidateUpdate(object: LeaseCandidate, old: LeaseCandidate): Errors {
  const errors = validateLeaseCandidate(object)
  errors.checkImmutable(object.spec.leaseName, old.spec.leaseName, 'spec.leaseName')
  return errors
}
