import { expect, test } from 'vitest'
import { createUrlCheck } from './address-judge.ts'

const judge = createUrlCheck(['192.168.1.20', 'Feeds.lan:8080', '[fd00::1]:81'])

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

test('a host listed without a port is not trusted on other ports', () => {
  expect(() => judge('http://192.168.1.20:9200/')).toThrow('private')
})

test('a redirect from an unlisted host has no access to listed hosts, not even through another unlisted host', () => {
  const unlisted = judge('https://news.example.org/feed')
  expect(() => judge('http://192.168.1.20/', unlisted)).toThrow('private')
  expect(judge('http://feeds.lan:8080/', unlisted).isTrusted).toBe(false)
  const otherUnlisted = judge('https://other.example.org/', unlisted)
  expect(() => judge('http://192.168.1.20/', otherUnlisted)).toThrow('private')
})

test('a listed host may redirect to listed and public hosts', () => {
  const listed = judge('http://feeds.lan:8080/')
  expect(judge('http://192.168.1.20/', listed).isTrusted).toBe(true)
  expect(judge('/next', listed).isTrusted).toBe(true)
  expect(judge('https://news.example.org/', listed).isTrusted).toBe(false)
})
