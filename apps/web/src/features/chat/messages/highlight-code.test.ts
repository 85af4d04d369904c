import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { highlightCode } from './highlight-code.tsx'

const html = (code: string, language: string) => renderToStaticMarkup(highlightCode(code, language))

it('highlights code in a known language, also by an alias', () => {
  expect(html('const a = 1', 'ts')).toContain('<span class="hljs-keyword">const</span>')
  expect(html('SELECT 1', 'SQL')).toContain('hljs-keyword')
})

it('keeps every character, and escapes HTML', () => {
  expect(html('<b onclick="x()">', 'html').replace(/<[^>]*>/g, '')).toBe('&lt;b onclick=&quot;x()&quot;&gt;')
})

it('returns null for an unknown language', () => {
  expect(highlightCode('+++', 'brainfudge')).toBeNull()
})
