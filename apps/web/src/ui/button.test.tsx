// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../test/render-part.tsx'
import { Button } from './button.tsx'

it.each([
  ['over the label', undefined, true],
  ['instead of the icon', <i key="icon" />, false],
])('shows the spinner %s, so that the width stays', async (_where, icon, isOver) => {
  await renderPart(
    <Button loading icon={icon}>
      Save
    </Button>,
  )
  const button = screen.getByRole('button', { name: 'Save' })
  expect(button.querySelector('svg')?.classList.contains('absolute')).toBe(isOver)
  expect(button.querySelector('i')).toBeNull()
})

it('can start to load after the browser translated its label', async () => {
  const { rerender } = await renderPart(<Button>Save</Button>)
  const text = document.createTreeWalker(screen.getByRole('button'), NodeFilter.SHOW_TEXT).nextNode() as Text
  const font = document.createElement('font')
  font.textContent = 'Salva'
  text.replaceWith(font)
  rerender(<Button loading>Save</Button>)
  expect(screen.getByRole('button').getAttribute('aria-busy')).toBe('true')
  expect(screen.getByRole('button').textContent).toBe('Salva')
})
