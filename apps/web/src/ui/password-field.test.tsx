// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../test/render-part.tsx'
import { PasswordField } from './password-field.tsx'

it('hides a password until it is to be seen, and hides it again', async () => {
  const { user } = await renderPart(<PasswordField label="Password" showLabel="Show" hideLabel="Hide" />)
  const field = screen.getByLabelText<HTMLInputElement>('Password')
  await user.type(field, 'violet')
  expect(field).toMatchObject({ type: 'password', value: 'violet' })
  await user.click(screen.getByRole('button', { name: 'Show' }))
  expect(field.type).toBe('text')
  await user.click(screen.getByRole('button', { name: 'Hide' }))
  expect(field).toMatchObject({ type: 'password', value: 'violet' })
})

it('ties hint and error to the field, which is marked wrong', async () => {
  await renderPart(
    <PasswordField label="Password" showLabel="Show" hideLabel="Hide" hint="At least 8" error="Too short" />,
  )
  const field = screen.getByLabelText('Password')
  const described = (field.getAttribute('aria-describedby') ?? '').split(' ')
  expect(described.map((id) => document.getElementById(id)?.textContent)).toEqual(['At least 8', 'Too short'])
  expect(field.getAttribute('aria-invalid')).toBe('true')
})
