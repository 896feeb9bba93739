import { describe, expect, it } from 'vitest'
import { compileDeviceSelector } from './device-environment.ts'

function outcome(text: string): string {
  const compiled = compileDeviceSelector(text)
  return compiled.kind === 'program' ? 'compiles' : compiled.text
}

describe('CEL device selectors', () => {
  it.each([
    'device.driver == "gpu.example.com" && device.allowMultipleAllocations',
    'device.attributes["gpu.example.com"].model',
    'cel.bind(gpu, device.attributes["gpu.example.com"], gpu.fast && gpu.version.isGreaterThan(semver("1.0.0")))',
    'device.capacity["gpu.example.com"].memory.compareTo(quantity("10Gi")) >= 0',
  ])('%s compiles', (text) => {
    expect(outcome(text)).toBe('compiles')
  })

  it.each([
    ['device.driver', 'must evaluate to bool or the unknown type, not string'],
    ['device.capacity["a"].b', 'must evaluate to bool or the unknown type, not kubernetes.Quantity'],
    ['device.attributes["a"].b.all(x, x)', "expression of type 'any' cannot be range of a comprehension"],
    ['device.model == 1', "undefined field 'model'"],
    ['device.attributes["a"].b.includes(1)', "undeclared reference to 'includes'"],
  ])('%s is refused', (text, expected) => {
    expect(outcome(text)).toContain(expected)
  })

  it('have a maximum cost by the limits of devices', () => {
    const nested = (depth: number): string =>
      `${Array.from({ length: depth }, (_, i) => `device.attributes.all(k${i}, `).join('')}true${')'.repeat(depth)}`
    const cost = (text: string): number => {
      const compiled = compileDeviceSelector(text)
      return compiled.kind === 'program' ? compiled.maximumCost : Number.NaN
    }
    expect(cost(nested(1))).toBeLessThan(1000)
    expect(cost(nested(5))).toBeGreaterThan(1_000_000)
  })
})
