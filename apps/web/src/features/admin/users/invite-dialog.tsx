import type { CreateInvitationJson } from '@mira/shared'
import type { PermissionFlag } from '@mira/shared/access'
import { DEFAULT_INVITATION_DAYS, invitationLifetimesDays } from '@mira/shared/constants/accounts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { FormDialog } from '../../../lib/components/form-dialog.tsx'
import { LocalAddressWarning } from '../../../lib/components/local-address.tsx'
import { useErrorText, useFieldErrors } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { paths } from '../../../lib/session/paths.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyLine } from '../../../ui/copy-line.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Select } from '../../../ui/select.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { invitationsKey } from './invitations.tsx'
import { PermissionFields } from './permission-fields.tsx'
import { needsConfirmation, useRecentSignIn } from './sign-in/confirm-password.tsx'

const roles = ['user', 'admin', 'guest'] as const

type Values = Required<Pick<CreateInvitationJson, 'email' | 'role' | PermissionFlag>> & {
  full_name: string
  days: `${(typeof invitationLifetimesDays)[number]}`
}

const initialValues: Values = {
  email: '',
  full_name: '',
  role: 'user',
  days: `${DEFAULT_INVITATION_DAYS}`,
  can_chat: true,
  can_upload: false,
  can_use_voice: false,
  can_use_agents: false,
}

/** Creates an invitation link, which is shown once; the recipient chooses their own name and password. */
export function InviteDialog({ onClose }: InviteDialogProps) {
  const text = useText('sign-in')
  const appText = useText('app')
  const userText = useText('users')
  const errorText = useErrorText()
  const fieldErrors = useFieldErrors()
  const queryClient = useQueryClient()
  const [values, setValues] = useState(initialValues)
  const [emailError, setEmailError] = useState<string>()
  const create = useMutation({
    mutationFn: ({ password, ...values }: Values & { password: string | undefined }) => {
      const { days, full_name, ...rest } = values
      const invitation = { ...rest, email: rest.email.trim(), full_name, expires_in_days: Number(days) }
      return call('POST /admin/invitations', { json: { ...invitation, current_password: password } })
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: invitationsKey }),
    onError: (error) => {
      console.error('The invitation could not be made', error)
      setEmailError(fieldErrors(error).email)
    },
  })
  const { runConfirmed, dialog } = useRecentSignIn()
  const invitation = create.data

  if (invitation?.token) {
    const link = invitation.url ?? `${window.location.origin}${paths.invitation}#${invitation.token}`
    return <LinkDialog link={link} email={invitation.email} onClose={onClose} />
  }

  const submit = (form: HTMLFormElement) => {
    if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(values.email.trim())) {
      const createConfirmed = async (password?: string) => void (await create.mutateAsync({ ...values, password }))
      // the form shows the mutation's error
      return void runConfirmed(createConfirmed).catch(() => undefined)
    }
    setEmailError(userText('form.emailWrong'))
    form.querySelector<HTMLInputElement>('[name=email]')?.focus()
  }
  const set = (change: Partial<Values>) => setValues({ ...values, ...change })

  return (
    <FormDialog
      open
      // Stays open while the invitation is being created: the link is shown only once, here.
      onOpenChange={(isOpen) => !isOpen && !create.isPending && onClose()}
      title={text('invitations.create')}
      description={text('invitations.createText')}
      onSubmit={submit}
      submitLabel={text('invitations.make')}
      isBusy={create.isPending}
    >
      <div className="flex flex-col gap-4">
        {create.error && fieldErrors(create.error).email === undefined && !needsConfirmation(create.error) && (
          <Banner tone="error">{errorText(create.error)}</Banner>
        )}
        <TextField
          label={userText('form.email')}
          name="email"
          type="email"
          required
          data-autofocus=""
          maxLength={254}
          autoComplete="off"
          value={values.email}
          error={emailError}
          onChange={(event) => {
            set({ email: event.target.value })
            setEmailError(undefined)
          }}
        />
        <TextField
          label={userText('form.fullName')}
          name="full_name"
          hint={userText('form.optional')}
          maxLength={120}
          autoComplete="off"
          value={values.full_name}
          onChange={(event) => set({ full_name: event.target.value })}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <Select
            label={userText('form.role')}
            name="role"
            options={roles.map((role) => ({ value: role, label: appText(`roles.${role}`) }))}
            value={values.role}
            onValueChange={(role) => set({ role })}
          />
          <Select
            label={text('invitations.lifetime')}
            name="days"
            options={invitationLifetimesDays.map((days) => ({
              value: `${days}` as const,
              label: userText('tokens.days', { count: days }),
            }))}
            value={values.days}
            onValueChange={(days) => set({ days })}
          />
        </div>
        <PermissionFields values={values} onChange={set} />
      </div>
      {dialog}
    </FormDialog>
  )
}

function LinkDialog({ link, email, onClose }: InviteDialogProps & { link: string; email: string }) {
  const text = useText('sign-in')
  const appText = useText('app')
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text('invitations.madeTitle')}
      closeLabel={appText('common.close')}
      footer={
        <Button variant="primary" onClick={onClose}>
          {text('codes.done')}
        </Button>
      }
    >
      <Banner tone="warning">{text('invitations.madeText', { email })}</Banner>
      <CopyLine className="my-4" text={link} label={text('invitations.copy')} copiedLabel={text('codes.copied')} />
      <LocalAddressWarning address={link} />
    </Dialog>
  )
}

type InviteDialogProps = { onClose: () => void }
