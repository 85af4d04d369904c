import { expect, test } from 'vitest'
import { plainLine } from './feed-text.ts'

test.each([
  ['<p>One</p><p>two<br>three</p>', 'One two three'],
  ['un<b>believ</b>able, <a href="https://example.org">here</a>, <em>now</em>', 'unbelievable, here, now'],
  [
    'Caf&eacute; &amp; cr&egrave;me &hellip; 5&nbsp;&euro; &#8220;so&#x201d; &unheard;',
    'Café & crème … 5 € “so” &unheard;',
  ],
  ['1 < 2 and 3 > 2 &lt;b&gt;', '1 < 2 and 3 > 2 <b>'],
  ['before<script>alert("x &amp; y")</script><style>p { color: red }</style>after', 'before after'],
  ['before <!-- hidden --> after <script>never closed', 'before after'],
  ['a\u202eturned\u2066 b\u0007c', 'aturned b c'],
  ['half a \ud83d letter', 'half a \ufffd letter'],
])('reads %j as %j', (html, text) => {
  expect(plainLine(html, 200)).toBe(text)
})

test('truncates a long text after a whole word', () => {
  expect(plainLine('one two three', 9)).toBe('one two…')
})

test('reads 1,900 unclosed elements and gives up on 50,000', () => {
  expect(plainLine(`${'<div>'.repeat(50_000)}deep`, 200)).toBe('')
  expect(plainLine(`${'<div>'.repeat(1_900)}deep`, 200)).toBe('deep')
})
