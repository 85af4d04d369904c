import { Brain, Ellipsis, Images, Pencil, Plus, Sparkles, Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { Avatar } from './avatar.tsx'
import { Button } from './button.tsx'
import { useConfirm } from './confirm-dialog.tsx'
import { CopyButton } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'
import { DropdownMenu } from './dropdown-menu.tsx'
import { IconButton } from './icon-button.tsx'
import { Kbd } from './kbd.tsx'
import { PasswordField } from './password-field.tsx'
import { showToast } from './show-toast.ts'
import { Spinner } from './spinner.tsx'
import { Switch } from './switch.tsx'
import { TextField } from './text-field.tsx'
import { Tooltip } from './tooltip.tsx'

/** Menus, badges and other small parts. */
export function Menus() {
  const confirm = useConfirm()
  return (
    <div className="flex flex-wrap items-center gap-3">
      <DropdownMenu
        trigger={
          <Button variant="ghost" icon={<Images />}>
            Media
          </Button>
        }
        entries={[
          {
            key: 'upload',
            label: 'Upload Media',
            description: 'Upload and process files',
            icon: <Upload />,
            // biome-ignore lint/a11y/useAnchorContent: the menu puts the content in
            link: <a href="#upload" />,
          },
          { key: 'gallery', label: 'Gallery', description: 'Browse your media library', icon: <Images /> },
          { key: 'effects', label: 'Image Effects', description: 'Apply artistic effects', icon: <Sparkles /> },
          { key: 'memory', label: 'Memory Search', description: 'Search across all content', icon: <Brain /> },
        ]}
      />
      <DropdownMenu
        trigger={<IconButton name="Session actions" icon={<Ellipsis />} />}
        entries={[
          { kind: 'heading', key: 'session', label: 'Session' },
          {
            key: 'rename',
            label: 'Rename',
            icon: <Pencil />,
            shortcut: 'F2',
            onSelect: () => void confirm({ question: 'Rename this?', confirmLabel: 'Rename' }),
          },
          { key: 'newest', label: 'Newest first', checked: true },
          { key: 'oldest', label: 'Oldest first', checked: false },
          { kind: 'separator', key: 'rule' },
          { key: 'delete', label: 'Delete', icon: <Trash2 />, tone: 'danger' },
        ]}
      />
      <Tooltip text="Measured from the first byte of the question to the last byte of the answer">
        <Button variant="ghost">Hover for a tooltip</Button>
      </Tooltip>
      <CopyButton text="mira_live_3fd0" label="Copy token" copiedLabel="Copied" />
      <CopyButton text="mira_live_3fd0" label="Copy token" copiedLabel="Copied" withText />
      <Kbd>C</Kbd>
      <span className="inline-flex gap-1">
        <Kbd>⌘</Kbd>
        <Kbd>K</Kbd>
      </span>
      <Avatar name="Ada Lovelace" size="sm" />
      <Avatar name="Grace Hopper" />
      <Avatar name="admin" size="lg" />
      <Spinner label="Loading Mira…" />
    </div>
  )
}

/** Dialogs and messages. */
export function Windows() {
  const confirm = useConfirm()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div className="flex flex-wrap gap-3">
      <Button variant="primary" icon={<Plus />} onClick={() => setIsOpen(true)}>
        Create User
      </Button>
      <Button
        variant="danger"
        icon={<Trash2 />}
        onClick={async () => {
          const isConfirmed = await confirm({
            question: 'Delete 3 selected sessions?',
            confirmLabel: 'Delete 3 sessions',
            tone: 'danger',
          })
          showToast({ title: isConfirmed ? '3 sessions deleted' : 'Nothing was deleted', tone: 'success' })
        }}
      >
        Delete Selected (3)
      </Button>
      <Button
        onClick={() =>
          showToast({
            tone: 'danger',
            title: 'The model server does not answer',
            description: 'Your message is kept. Try again, or check the address in the settings.',
            action: { label: 'Try again', onSelect: () => showToast({ title: 'Trying again' }) },
          })
        }
      >
        Show a toast
      </Button>
      <Dialog
        open={isOpen}
        onOpenChange={setIsOpen}
        title="Create User"
        description="They sign in with the username and password you set here."
        closeLabel="Close"
        onSubmit={() => setIsOpen(false)}
        footer={
          <>
            <Button onClick={() => setIsOpen(false)}>Cancel</Button>
            <Button type="submit" variant="primary">
              Create User
            </Button>
          </>
        }
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Username" required data-autofocus="" />
          <TextField label="Email" type="email" required />
          <TextField label="Full name" className="sm:col-span-2" />
          <PasswordField
            label="Password"
            showLabel="Show password"
            hideLabel="Hide password"
            hint="10 to 72 characters that are hard to guess."
            className="sm:col-span-2"
          />
          <Switch label="Can chat" checked onCheckedChange={() => {}} className="sm:col-span-2" />
        </div>
      </Dialog>
    </div>
  )
}
