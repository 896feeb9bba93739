import { validateLabelKey } from '../../../meta/object-meta-validation.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import type { Device } from '../../generated/types/resource.v1.ts'
import type { Errors } from '../checks.ts'
import { checkList } from './lists.ts'

const mostConditions = 4

function checkNames(names: readonly string[], field: string, errors: Errors): void {
  checkList(names, mostConditions, (name, at) => errors.push(...validateLabelKey(name, at)), field, errors)
}

function checkOnce(names: readonly string[], others: readonly string[], field: string, errors: Errors): void {
  const seen = new Set<string>()
  const excluded = new Set(others)
  for (const [index, name] of names.entries()) {
    errors.checkUnique(seen, name, `${field}[${index}]`)
    if (excluded.has(name)) {
      errors.invalid(`${field}[${index}]`, name, 'bindingFailureConditions must not overlap with bindingConditions')
    }
  }
}

/** Checks that bindingConditions and bindingFailureConditions are either both set or both absent. */
export function checkBindingConditions(
  device: Pick<Device, 'bindingConditions' | 'bindingFailureConditions'>,
  field: string,
  errors: Errors,
): void {
  const { bindingConditions: binding = [], bindingFailureConditions: failing = [] } = device
  const [at, failingAt] = [`${field}.bindingConditions`, `${field}.bindingFailureConditions`]
  checkNames(binding, at, errors)
  checkNames(failing, failingAt, errors)
  checkOnce(binding, [], at, errors)
  checkOnce(failing, binding, failingAt, errors)
  if (binding.length === 0 && failing.length > 0) {
    const quoted = device.bindingConditions ?? explicitEmpty(device, 'bindingConditions') ?? null
    errors.invalid(at, quoted, 'bindingConditions are required to use bindingFailureConditions')
  }
  if (failing.length === 0 && binding.length > 0) {
    const text = 'bindingFailureConditions are required to use bindingConditions'
    errors.invalid(failingAt, device.bindingFailureConditions ?? explicitEmpty(device, 'bindingFailureConditions') ?? null, text)
  }
}
