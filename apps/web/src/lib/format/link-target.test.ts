import { describe, expect, it } from 'vitest'
import { linkTarget } from './inline-text.ts'

describe('linkTarget', () => {
  it('keeps a path inside the app', () => {
    expect(linkTarget('/chat?session=1', 'an earlier chat')).toEqual({ kind: 'inside', path: '/chat?session=1' })
  })

  it('shows the host of an external URL', () => {
    expect(linkTarget('https://example.com/a', 'the docs')).toEqual({
      kind: 'outside',
      url: 'https://example.com/a',
      shownAddress: 'example.com',
    })
  })

  it.each(['https://example.com/a', 'example.com', 'http://Example.com/b?c'])(
    'does not repeat the host of %s',
    (text) => {
      expect(linkTarget('https://example.com/a', text)).toMatchObject({ shownAddress: null })
    },
  )

  it.each(['https://bank.example', 'example.com.bank.example', 'example.com@bank.example', 'example.com:81'])(
    'shows the host when the text %s claims another',
    (text) => {
      expect(linkTarget('https://example.com/a', text)).toMatchObject({ shownAddress: 'example.com' })
    },
  )

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    '//example.com',
    '/\\example.com',
    'chat',
    '#top',
    '',
    'https://',
  ])('returns null for %j', (href) => {
    expect(linkTarget(href, 'text')).toBeNull()
  })

  it('shows the address of a mailto link', () => {
    expect(linkTarget('mailto:a@example.com', 'write')).toMatchObject({ shownAddress: 'a@example.com' })
    expect(linkTarget('mailto:a@example.com', 'a@example.com')).toMatchObject({ shownAddress: null })
  })
})
