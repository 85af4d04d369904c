import { expect, test } from 'vitest'
import { createAddressJudge } from './address-judge.ts'

const judge = createAddressJudge(['192.168.1.20', 'Feeds.lan:8080', '[fd00::1]:81'])

test.each([
  ['http://192.168.1.20/feed', true],
  ['https://192.168.1.20/feed', true],
  ['http://feeds.lan:8080/', true],
  ['http://[fd00::1]:81/', true],
  ['http://feeds.lan/', false],
  ['http://feeds.lan:8081/', false],
  ['https://news.example.org/', false],
])('%s is trusted: %s', (address, isTrusted) => {
  expect(judge(address).isTrusted).toBe(isTrusted)
})

test('a host that is listed without a port opens no other port', () => {
  expect(() => judge('http://192.168.1.20:9200/')).toThrow('private')
})

test('a stranger’s redirect reaches nothing that is listed, also by way of another stranger', () => {
  const stranger = judge('https://news.example.org/feed')
  expect(() => judge('http://192.168.1.20/', stranger)).toThrow('private')
  expect(judge('http://feeds.lan:8080/', stranger).isTrusted).toBe(false)
  const second = judge('https://other.example.org/', stranger)
  expect(() => judge('http://192.168.1.20/', second)).toThrow('private')
})

test('what is listed may lead to what is listed, and out into the public', () => {
  const listed = judge('http://feeds.lan:8080/')
  expect(judge('http://192.168.1.20/', listed).isTrusted).toBe(true)
  expect(judge('/next', listed).isTrusted).toBe(true)
  expect(judge('https://news.example.org/', listed).isTrusted).toBe(false)
})
