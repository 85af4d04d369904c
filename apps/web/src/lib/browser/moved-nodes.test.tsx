// @vitest-environment happy-dom
import { render, screen } from '@testing-library/react'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tolerateMovedNodes } from './moved-nodes.ts'

const { removeChild, insertBefore } = Node.prototype
beforeAll(tolerateMovedNodes)
afterAll(() => Object.assign(Node.prototype, { removeChild, insertBefore }))

/** Replaces text as Chrome's translation does; the original is moved into the new element, or dropped. */
function translate(text: ChildNode | null | undefined, { isKept }: { isKept: boolean }) {
  const font = document.createElement('font')
  text?.replaceWith(font)
  font.append('translated')
  if (isKept && text) font.append(text)
}

function Message({ isLoading, hasName }: { isLoading: boolean; hasName: boolean }) {
  return (
    <p>
      {hasName && <b>Ana</b>}
      {isLoading ? <i>Loading</i> : 'Sign in'}
    </p>
  )
}

it.each([true, false])('shows what comes next when a translated text goes (its node is kept: %s)', (isKept) => {
  const { rerender, container, unmount } = render(<Message isLoading={false} hasName={false} />)
  const paragraph = container.querySelector('p')
  translate(paragraph?.firstChild, { isKept })
  rerender(<Message isLoading={false} hasName />)
  expect(screen.getByText('Ana').parentNode).toBe(paragraph)
  rerender(<Message isLoading hasName />)
  expect(screen.getByText('Loading').parentNode).toBe(paragraph)
  expect(paragraph?.querySelector('font') === null).toBe(isKept)
  unmount()
})

it('removes texts that a translation has put into one element', () => {
  const { rerender, container } = render(<p>{[3, ' pictures']}</p>)
  const paragraph = container.querySelector('p')
  const font = document.createElement('font')
  font.append(...(paragraph?.childNodes ?? []))
  paragraph?.append(font)
  rerender(<p>{[]}</p>)
  expect(paragraph?.textContent).toBe('')
})

it('leaves it to the browser to report a node that is somewhere else', () => {
  const deep = document.createElement('i')
  document.body.appendChild(document.createElement('div')).append(deep)
  expect(() => document.body.removeChild(deep)).toThrow()
})
