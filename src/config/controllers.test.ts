import { expect, test } from 'vitest'
import { controllerNames, enabledControllers } from './controllers.ts'

const statusController = 'validatingadmissionpolicy-status-controller'
const byDefault = controllerNames.filter((name) => name !== statusController)

test('--controllers: * and no list enable all but validatingadmissionpolicy-status-controller', () => {
  expect([...enabledControllers('')]).toEqual(byDefault)
  expect([...enabledControllers('*')]).toEqual(byDefault)
  expect([...enabledControllers(`*,${statusController}`)]).toEqual(controllerNames)
})

test('--controllers: -name disables one, before or after *', () => {
  for (const list of ['*,-namespace-controller', '-namespace-controller, *']) {
    expect([...enabledControllers(list)]).toEqual(byDefault.filter((name) => name !== 'namespace-controller'))
  }
})

test('--controllers: without * only the listed ones run, and the first mention counts', () => {
  expect([...enabledControllers('serviceaccount-controller')]).toEqual(['serviceaccount-controller'])
  expect([...enabledControllers('-namespace-controller')]).toEqual([])
  expect([...enabledControllers('namespace-controller,-namespace-controller')]).toEqual(['namespace-controller'])
})

test('--controllers: an unknown name is an error', () => {
  expect(() => enabledControllers('*,-deployment-controller')).toThrow('there is no controller "-deployment-controller"')
})
