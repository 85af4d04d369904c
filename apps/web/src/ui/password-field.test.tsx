// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../test/render-part.tsx'
import { PasswordField } from './password-field.tsx'

it('hides a password until it is shown on request, and hides it again', async () => {
  const { user } = await renderPart(<PasswordField label="Password" showLabel="Show" hideLabel="Hide" />)
  const field = screen.getByLabelText<HTMLInputElement>('Password')
  await user.type(field, 'violet')
  expect(field).toMatchObject({ type: 'password', value: 'violet' })
  await user.click(screen.getByRole('button', { name: 'Show' }))
  expect(field.type).toBe('text')
  await user.click(screen.getByRole('button', { name: 'Hide' }))
  expect(field).toMatchObject({ type: 'password', value: 'violet' })
})

it('associates hint and error with the field, which is marked as invalid', async () => {
  await renderPart(
    <PasswordField label="Password" showLabel="Show" hideLabel="Hide" hint="At least 8" error="Too short" />,
  )
  const field = screen.getByLabelText('Password')
  const descriptionIds = (field.getAttribute('aria-describedby') ?? '').split(' ')
  expect(descriptionIds.map((id) => document.getElementById(id)?.textContent)).toEqual(['At least 8', 'Too short'])
  expect(field.getAttribute('aria-invalid')).toBe('true')
})
