import { describe, expect, test } from 'vitest'
import { readTraits } from './access.ts'

describe('the language is the supported one that the header prefers', () => {
  test.each([
    ['de-CH,de;q=0.9,en;q=0.8', 'de'],
    ['es', 'es'],
    ['ja,fr;q=0.3,en;q=0.7', 'en'],
    ['FR-fr', 'fr'],
    ['en;q=0,es', 'es'],
    ['*', undefined],
    ['ja', undefined],
    ['den-US', undefined],
    ['', undefined],
    [undefined, undefined],
    ['en,'.repeat(100), undefined],
  ])('%s → %s', (header, language) => {
    expect(readTraits({ 'accept-language': header }).language).toBe(language)
  })
})

describe('a time zone is accepted when it is known', () => {
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['UTC', 'UTC'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
    ['+01:00', undefined],
    ['Mars/Olympus', undefined],
    ["UTC'; DROP TABLE users", undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s → %s', (header, timeZone) => {
    expect(readTraits({ 'x-time-zone': header }).timeZone).toBe(timeZone)
  })
})
