import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { highlightCode } from './highlight-code.tsx'

const html = (code: string, language: string) => renderToStaticMarkup(highlightCode(code, language))

it('marks the parts of a code whose language is known, also by another name of it', () => {
  expect(html('const a = 1', 'ts')).toContain('<span class="hljs-keyword">const</span>')
  expect(html('SELECT 1', 'SQL')).toContain('hljs-keyword')
})

it('keeps every letter, and shows HTML as text', () => {
  expect(html('<b onclick="x()">', 'html').replace(/<[^>]*>/g, '')).toBe('&lt;b onclick=&quot;x()&quot;&gt;')
})

it('leaves a language alone that it does not know', () => {
  expect(highlightCode('+++', 'brainfudge')).toBeNull()
})
