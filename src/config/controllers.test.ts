import { expect, test } from 'vitest'
import { controllerNames, enabledControllers } from './controllers.ts'

test('all run where nothing is said, and with a star', () => {
  expect([...enabledControllers('')]).toEqual(controllerNames)
  expect([...enabledControllers('*')]).toEqual(controllerNames)
})

test('a minus takes one away, wherever the star is', () => {
  for (const list of ['*,-namespace-controller', '-namespace-controller, *']) {
    expect([...enabledControllers(list)]).toEqual(controllerNames.filter((name) => name !== 'namespace-controller'))
  }
})

test('without a star only those that are named run; the first word about one counts', () => {
  expect([...enabledControllers('serviceaccount-controller')]).toEqual(['serviceaccount-controller'])
  expect([...enabledControllers('-namespace-controller')]).toEqual([])
  expect([...enabledControllers('namespace-controller,-namespace-controller')]).toEqual(['namespace-controller'])
})

test('a name that is none is told', () => {
  expect(() => enabledControllers('*,-deployment-controller')).toThrow('there is no controller "-deployment-controller"')
})
