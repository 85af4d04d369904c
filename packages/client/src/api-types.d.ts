// Written from the API’s document (UPDATE_CLIENT=1 npx playwright test e2e/command-line.spec.ts -g typed), not by hand.
export interface paths {
    "/api/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the audit log
         * @description What administrators did, and every sign-in, failed one, session and token; newest first. Lines are only ever added, and go when they are older than the settings keep them.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAdminAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the same as a CSV file
         * @description UTF-8, RFC 4180; what a spreadsheet would take for a formula is led by an apostrophe.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAdminAuditExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the backups of the instance
         * @description Newest first, with the one that is being made and those that failed in the last 30 days. `next_at` tells when the next one is made by itself, as the section `backups` of PUT /admin/settings says.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAdminBackups"];
        put?: never;
        /**
         * Back up the instance
         * @description Makes an archive of the database and all files as they are at one moment, in the background, while everything goes on. GET /admin/backups tells how far it is. 409 while one is being made, 507 when there is no room.
         *
         *     For administrators. A personal API token does not open it.
         */
        post: operations["postAdminBackups"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/backups/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a backup
         * @description For administrators. A personal API token does not open it.
         */
        delete: operations["deleteAdminBackupsId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/backups/{id}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a backup
         * @description It holds everything of everybody, hashes of passwords included; sessions, API tokens and the secret of the instance stay out. Keep it as safe as the instance. Opens with a session, or with an address of …/ticket.
         *
         *     For administrators. A personal API token does not open it.
         */
        get: operations["getAdminBackupsIdFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/backups/{id}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try to restore a backup
         * @description Loads it into an empty database in the background, checks its foreign keys and a sample of its files, and deletes that again. GET /admin/backups tells how it went.
         *
         *     For administrators. A personal API token does not open it.
         */
        post: operations["postAdminBackupsIdProof"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/backups/{id}/ticket": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make an address that a browser downloads a backup from
         * @description The download must begin within 60 seconds, and before the password changes or sessions are ended.
         *
         *     For administrators. A personal API token does not open it.
         */
        post: operations["postAdminBackupsIdTicket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/backups/offsite/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test an address for off-site copies
         * @description Opens `s3://bucket/folder` or a folder of the server with the keys and passphrase set there, and writes to it.
         *
         *     For administrators. A personal API token does not open it.
         */
        post: operations["postAdminBackupsOffsiteTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the connected model servers
         * @description The one that the environment describes comes first; it is changed there.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAdminConnections"];
        put?: never;
        /**
         * Connect a model server
         * @description It holds at once, on every server, and is asked for its models before this answers. Key and headers are kept encrypted; they are written, and never read.
         *
         *     For administrators. A personal API token does not open it.
         */
        post: operations["postAdminConnections"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/connections/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a connection
         * @description For administrators. A personal API token does not open it.
         */
        delete: operations["deleteAdminConnectionsId"];
        options?: never;
        head?: never;
        /**
         * Change a connection
         * @description What is left out stays; an empty key and null remove it. Key and headers are kept encrypted; they are written, and never read. With an address on another host, a key and headers that are not given again are forgotten.
         *
         *     For administrators. A personal API token does not open it.
         */
        patch: operations["patchAdminConnectionsId"];
        trace?: never;
    };
    "/api/admin/connections/{id}/ollama": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what a connected Ollama has stored
         * @description `version` is null where the server is something else, or does not answer.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAdminConnectionsIdOllama"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/connections/{id}/ollama/pull": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have Ollama fetch a model
         * @description The last event is `done` or `failed`, then `[DONE]` ends the stream. Whoever closes it stops the fetching; what had come stays for the next time.
         *
         *     For administrators. A personal API token does not open it.
         */
        post: operations["postAdminConnectionsIdOllamaPull"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/connections/{id}/ollama/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove a model from Ollama
         * @description For administrators. A personal API token does not open it.
         */
        post: operations["postAdminConnectionsIdOllamaRemove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/connections/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a connection for its models
         * @description What goes wrong is in `check`.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        post: operations["postAdminConnectionsIdTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/embeddings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the vectors that searches by meaning use
         * @description By the model that made them, with how many there are and how long the filling of new ones takes.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAdminEmbeddings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/embeddings/{id}/drop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove the vectors of a model that is not used any more
         * @description For administrators. A personal API token does not open it.
         */
        post: operations["postAdminEmbeddingsIdDrop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/engines/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try the engine that is in use for a capability
         * @description Really does it once, with small material made on the spot; answers within two minutes.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        post: operations["postAdminEnginesTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the invitations
         * @description For administrators. A personal API token does not open it.
         */
        get: operations["getAdminInvitations"];
        put?: never;
        /**
         * Invite somebody
         * @description They choose their own name and password at `url`, which is PUBLIC_URL/invitation#<token>. Both are shown in this answer and never again.
         *
         *     For administrators. A personal API token does not open it.
         */
        post: operations["postAdminInvitations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an invitation
         * @description For administrators. A personal API token does not open it.
         */
        delete: operations["deleteAdminInvitationsId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/mcp-servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the connected MCP servers
         * @description In the order in which they were added, with their tools as they listed them last.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAdminMcpServers"];
        put?: never;
        /**
         * Connect an MCP server
         * @description By `url` over Streamable HTTP; by `command` only where MCP_STDIO=on stands in the environment. It is asked for its tools before this answers; what goes wrong then is in `check`. Key and headers are kept encrypted; they are written, and never read. A program needs `current_password` as well more than ten minutes after signing in.
         *
         *     For administrators. A personal API token does not open it.
         */
        post: operations["postAdminMcpServers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/mcp-servers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an MCP server
         * @description For administrators. A personal API token does not open it.
         */
        delete: operations["deleteAdminMcpServersId"];
        options?: never;
        head?: never;
        /**
         * Change an MCP server
         * @description What is left out stays; an empty key and null remove it. Key and headers are kept encrypted; they are written, and never read. With another address or command, those that are not given again are forgotten. A program needs `current_password` as well more than ten minutes after signing in.
         *
         *     For administrators. A personal API token does not open it.
         */
        patch: operations["patchAdminMcpServersId"];
        trace?: never;
    };
    "/api/admin/mcp-servers/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask an MCP server for its tools
         * @description What goes wrong is in `check`; the tools that it listed before stay then.
         *
         *     For administrators. A personal API token does not open it.
         */
        post: operations["postAdminMcpServersIdTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the models that this server can run itself
         * @description Progress comes as `model.progress` of GET /events.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAdminModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/models/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a model from this server
         * @description For administrators. An API token needs the scope `admin`.
         */
        delete: operations["deleteAdminModelsId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/models/{id}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Download a model
         * @description Goes on in the background. The slash of the name is written as %2F.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        post: operations["postAdminModelsIdDownload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/personas/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a shared persona
         * @description Its conversations stay.
         *
         *     For administrators. A personal API token does not open it.
         */
        delete: operations["deleteAdminPersonasId"];
        options?: never;
        head?: never;
        /**
         * Share or change a persona
         * @description One of the administrator’s own, or one that is shared. Items stay their owner’s.
         *
         *     For administrators. A personal API token does not open it.
         */
        patch: operations["patchAdminPersonasId"];
        trace?: never;
    };
    "/api/admin/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the settings of the instance
         * @description With what would hold if nothing were decided here, and which engine does what now.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAdminSettings"];
        /**
         * Decide the settings of the instance
         * @description Takes all of them. They win over the environment and hold at once, on every server. What is the same as in `defaults` goes on following the environment.
         *
         *     For administrators. A personal API token does not open it.
         */
        put: operations["putAdminSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/system": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what was measured of the instance and of this server
         * @description Each server keeps a sample of itself every five minutes; what none measured is null.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAdminSystem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users
         * @description `query` is looked for in username, email and full name. Accounts in the trash are left out; `in=trash` lists these alone.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAdminUsers"];
        put?: never;
        /**
         * Create a user
         * @description For administrators. A personal API token does not open it.
         */
        post: operations["postAdminUsers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change a user
         * @description Takes the whole user and changes the fields listed here; other fields are ignored. A new password, or disabling the user, ends their sessions. Changing the password or the role takes `current_password`, the administrator’s own; so does changing the email address, more than ten minutes after signing in.
         *
         *     For administrators. A personal API token does not open it.
         */
        put: operations["putAdminUsersId"];
        post?: never;
        /**
         * Delete a user
         * @description Puts the account into the trash: it is signed out everywhere, its tokens, passkeys, hooks and links do nothing, its names stay taken, and it is deleted for good after `trash.account_days` of GET /config (7) unless it is restored. `now=true` deletes it for good, also one in the trash, with all that is theirs: rows at once, files soon after. More than ten minutes after signing in `current_password`, the administrator’s own, is needed as well.
         *
         *     For administrators. A personal API token does not open it.
         */
        delete: operations["deleteAdminUsersId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{id}/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove the passkeys of a user
         * @description More than ten minutes after signing in `current_password`, the administrator’s own, is needed as well.
         *
         *     For administrators. A personal API token does not open it.
         */
        delete: operations["deleteAdminUsersIdPasskeys"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a user from the trash
         * @description The account is as it was, with all that is theirs, disabled if it was; they sign in again. 409 when it is not in the trash.
         *
         *     For administrators. A personal API token does not open it.
         */
        post: operations["postAdminUsersIdRestore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{id}/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read by what a user can sign in
         * @description For administrators. A personal API token does not open it.
         */
        get: operations["getAdminUsersIdSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{id}/storage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how much a user stores, and may
         * @description For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAdminUsersIdStorage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{id}/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Turn the codes of a user off
         * @description For somebody who lost their phone and their recovery codes. More than ten minutes after signing in `current_password`, the administrator’s own, is needed as well.
         *
         *     For administrators. A personal API token does not open it.
         */
        delete: operations["deleteAdminUsersIdTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/watched-folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the watched folders
         * @description With how the last look went, or how far the one is that goes on.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAdminWatchedFolders"];
        put?: never;
        /**
         * Watch a folder for a person
         * @description It lies below WATCHED_FOLDERS_ROOT, links followed. Its files are copied in; links, names that begin with a dot and what systems put there are left out.
         *
         *     For administrators. A personal API token does not open it.
         */
        post: operations["postAdminWatchedFolders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/watched-folders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Watch a folder no longer
         * @description What was copied in stays.
         *
         *     For administrators. A personal API token does not open it.
         */
        delete: operations["deleteAdminWatchedFoldersId"];
        options?: never;
        head?: never;
        /**
         * Turn a watched folder on or off
         * @description For administrators. A personal API token does not open it.
         */
        patch: operations["patchAdminWatchedFoldersId"];
        trace?: never;
    };
    "/api/admin/watched-folders/{id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files of a watched folder
         * @description Newest first; what is gone where it came from keeps its item.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAdminWatchedFoldersIdFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/watched-folders/{id}/scan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look through a folder now
         * @description For administrators. A personal API token does not open it.
         */
        post: operations["postAdminWatchedFoldersIdScan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/web": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell what is decided about the web
         * @description For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAdminWeb"];
        /**
         * Decide whether the web may be looked at, and what searches it
         * @description The search is tried before this answers; what goes wrong then is in `check`. The key is kept encrypted; it is written, and never read.
         *
         *     For administrators. A personal API token does not open it.
         */
        put: operations["putAdminWeb"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/web/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search the web once
         * @description What goes wrong is in `check`.
         *
         *     For administrators. A personal API token does not open it.
         */
        post: operations["postAdminWebTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{name}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call an agent
         * @description With `Accept: text/event-stream` the same comes as events, with what is being done meanwhile.
         *
         *     Needs the permission to use agents. An API token needs the scope `agents`.
         */
        post: operations["postAgentsNameRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{name}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List one’s own calls of an agent
         * @description Needs the permission to use agents. An API token needs the scope `read`.
         */
        get: operations["getAgentsNameRuns"];
        put?: never;
        post?: never;
        /**
         * Delete one’s own calls of an agent
         * @description Figures stay: they hold nothing of what was asked.
         *
         *     Needs the permission to use agents. An API token needs the scope `agents`.
         */
        delete: operations["deleteAgentsNameRuns"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how the calls of each agent went
         * @description Of the caller; of everyone for an administrator. Calls kept out of analytics are not counted.
         *
         *     Needs the permission to use agents. An API token needs the scope `read`.
         */
        get: operations["getAgentsAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/ask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask whichever agent is meant
         * @description Picks the agent by what the sentence asks for. When none is surely meant, nothing is called and the answer lists which ones could be. With `Accept: text/event-stream` the same comes as events, with what is being done meanwhile.
         *
         *     Needs the permission to use agents. An API token needs the scope `agents`.
         */
        post: operations["postAgentsAsk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/available": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the agents
         * @description Needs the permission to use agents. An API token needs the scope `read`.
         */
        get: operations["getAgentsAvailable"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete one of one’s own calls
         * @description Needs the permission to use agents. An API token needs the scope `agents`.
         */
        delete: operations["deleteAgentsRunsId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how the agents do
         * @description Counts everyone’s calls, but for those of people who keep their use out of analytics.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAgentsStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how use and performance changed over a period
         * @description Days and hours are those of the time zone that X-Time-Zone names.
         *
         *     For administrators and those who may use agents. An API token needs the scope `read`.
         */
        get: operations["getAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List everything with access to the account, or that data is sent to
         * @description Newest first, without the session of this call. `is_suspended`: off since a restore, until confirmed.
         *
         *     Anyone who is signed in may call this. A personal API token does not open it.
         */
        get: operations["getAuthAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/access/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn on again what a restore turned off
         * @description More than ten minutes after signing in `current_password` is needed as well.
         *
         *     Anyone who is signed in may call this. A personal API token does not open it.
         */
        post: operations["postAuthAccessConfirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/access/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End things with access to the account
         * @description Anyone who is signed in may call this. A personal API token does not open it.
         */
        post: operations["postAuthAccessEnd"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description Makes the account with a name and a password of one’s own, and signs in to it.
         *
         *     Anyone may call this.
         */
        post: operations["postAuthInvitationsAccept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/invitations/look": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read what an invitation offers
         * @description Anyone may call this.
         */
        post: operations["postAuthInvitationsLook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in
         * @description Fields as multipart form-data, urlencoded or JSON. After 10 failures for an account or 100 from an address in 15 minutes further attempts are refused for a while. 202: the password was right, and a code is asked for; `challenge` and the code go to /auth/totp/sign-in.
         *
         *     Anyone may call this.
         */
        post: operations["postAuthLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description The token no longer works, on any server.
         *
         *     Anyone who is signed in may call this. A personal API token does not open it.
         */
        post: operations["postAuthLogout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who is signed in
         * @description Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getAuthMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/oidc/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in as whom the provider sent back
         * @description Anyone may call this.
         */
        post: operations["postAuthOidcFinish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/oidc/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to sign in at the provider
         * @description The browser keeps `ticket`, goes to `url`, and comes back to PUBLIC_URL/login/oidc; the query of that address and the ticket go to /auth/oidc/finish within ten minutes.
         *
         *     Anyone may call this.
         */
        post: operations["postAuthOidcStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the passkeys of the caller
         * @description Anyone who is signed in may call this. A personal API token does not open it.
         */
        get: operations["getAuthPasskeys"];
        put?: never;
        /**
         * Add a passkey
         * @description Anyone who is signed in may call this. A personal API token does not open it.
         */
        post: operations["postAuthPasskeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/passkeys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a passkey
         * @description It does not sign in any more. Sessions that it began go on until they are ended.
         *
         *     Anyone who is signed in may call this. A personal API token does not open it.
         */
        delete: operations["deleteAuthPasskeysId"];
        options?: never;
        head?: never;
        /**
         * Rename a passkey
         * @description Anyone who is signed in may call this. A personal API token does not open it.
         */
        patch: operations["patchAuthPasskeysId"];
        trace?: never;
    };
    "/api/auth/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to sign in with a passkey
         * @description `options` go to the browser; its answer and `ticket` come to /auth/passkeys/sign-in within five minutes.
         *
         *     Anyone may call this.
         */
        post: operations["postAuthPasskeysOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/passkeys/registration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to add a passkey
         * @description More than ten minutes after signing in `current_password` is needed as well.
         *
         *     Anyone who is signed in may call this. A personal API token does not open it.
         */
        post: operations["postAuthPasskeysRegistration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/passkeys/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a passkey
         * @description No code is asked for: the device has checked a finger, a face or a PIN.
         *
         *     Anyone may call this.
         */
        post: operations["postAuthPasskeysSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the password
         * @description Every other session and every personal API token of the caller ends, and what `end_access` names of GET /auth/access.
         *
         *     Anyone who is signed in may call this. A personal API token does not open it.
         */
        post: operations["postAuthPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List where the caller is signed in
         * @description Anyone who is signed in may call this. A personal API token does not open it.
         */
        get: operations["getAuthSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session
         * @description Anyone who is signed in may call this. A personal API token does not open it.
         */
        delete: operations["deleteAuthSessionsId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the personal API tokens of the caller
         * @description Anyone who is signed in may call this. A personal API token does not open it.
         */
        get: operations["getAuthTokens"];
        put?: never;
        /**
         * Make a personal API token
         * @description `token` is shown in this answer and never again. It opens what its scopes name, of what the caller may do; each route says which one it needs. A token cannot make tokens.
         *
         *     Anyone who is signed in may call this. A personal API token does not open it.
         */
        post: operations["postAuthTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a personal API token
         * @description Anyone who is signed in may call this. A personal API token does not open it.
         */
        delete: operations["deleteAuthTokensId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read whether codes are asked for
         * @description Anyone who is signed in may call this. A personal API token does not open it.
         */
        get: operations["getAuthTotp"];
        put?: never;
        /**
         * Begin to set codes up
         * @description Nothing is asked for until /auth/totp/confirm took a first code. More than ten minutes after signing in `current_password` is needed as well.
         *
         *     Anyone who is signed in may call this. A personal API token does not open it.
         */
        post: operations["postAuthTotp"];
        /**
         * Turn codes off
         * @description More than ten minutes after signing in `current_password` is needed as well.
         *
         *     Anyone who is signed in may call this. A personal API token does not open it.
         */
        delete: operations["deleteAuthTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn codes on
         * @description The recovery codes are shown in this answer and never again.
         *
         *     Anyone who is signed in may call this. A personal API token does not open it.
         */
        post: operations["postAuthTotpConfirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/totp/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make new recovery codes
         * @description Those before open nothing any more. More than ten minutes after signing in `current_password` is needed as well.
         *
         *     Anyone who is signed in may call this. A personal API token does not open it.
         */
        post: operations["postAuthTotpRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/totp/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a code
         * @description Takes the `challenge` that /auth/login answered, and the six digits of the app or a recovery code. Each code is taken once.
         *
         *     Anyone may call this.
         */
        post: operations["postAuthTotpSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/automation/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell whether the automation is there
         * @description For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAutomationHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/automation/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs, newest first
         * @description For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAutomationRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/automation/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a run with its steps and its log
         * @description For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAutomationRunsId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/automation/runs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run
         * @description One that waits ends at once, one that goes on within seconds.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        post: operations["postAutomationRunsIdCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/automation/runs/{id}/dataset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the training set of a run
         * @description JSON lines in the chat format. An answer whose person has deleted it, or shares it no more, is not in it any more.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAutomationRunsIdDataset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/automation/runs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run the task of a run again
         * @description For administrators. An API token needs the scope `admin`.
         */
        post: operations["postAutomationRunsIdRetry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/automation/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell how the tasks are
         * @description For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAutomationStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/automation/summaries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the weekly summaries of the instance, newest first
         * @description For administrators. An API token needs the scope `admin`.
         */
        get: operations["getAutomationSummaries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/automation/tasks/{task_type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Enable, disable or schedule a task
         * @description The schedule is cron text of five fields; null leaves the task to be triggered.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        put: operations["putAutomationTasksTaskType"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/automation/trigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a task now
         * @description For administrators. An API token needs the scope `admin`.
         */
        post: operations["postAutomationTrigger"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message and follow its answer
         * @description Without session_id it begins a conversation. Another message with the parent_id of one that is there is a branch beside it; null stands for the parent of the first message. Of a temporary message nothing is stored: its events have a session_id of null, history tells what was said before, and who leaves ends it. Items, agents, projects and tags that are named are the caller’s own. Each event has an id; the last line is `data: [DONE]`. A lost connection does not stop the answer: follow it again with `Last-Event-ID`.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`.
         */
        post: operations["postChatMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/messages/{id}/feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rate an answer
         * @description Needs the permission to chat. An API token needs the scope `chat`.
         */
        post: operations["postChatMessagesIdFeedback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/messages/{id}/images/{n}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Load a picture of a message
         * @description n counts from 0. Opens with a token or with the signed path that the message carries.
         *
         *     Needs the permission to chat. An API token needs the scope `read`.
         */
        get: operations["getChatMessagesIdImagesN"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/messages/{id}/images/{n}/keep": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Keep a picture of a message in memory
         * @description Needs the permission to upload as well. 200 with the item that is there when the same picture was kept before.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`.
         */
        post: operations["postChatMessagesIdImagesNKeep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/messages/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read all answers to the question of an answer
         * @description The newest 12, in the order in which they began: those that were made again and those that were made beside one another. The content of one that is streaming is what has come so far.
         *
         *     Needs the permission to chat. An API token needs the scope `read`.
         */
        get: operations["getChatMessagesIdVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the conversations
         * @description `query` is looked for in names and messages. In the order of last use, newest first, pinned conversations come before the others. Archived ones are left out unless asked for. `in=trash` lists those in the trash alone.
         *
         *     Needs the permission to chat. An API token needs the scope `read`.
         */
        get: operations["getChatSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a conversation
         * @description The newest messages of the branch that is shown, oldest first; `before` takes previous_cursor. The content of a message that is streaming is what has come so far.
         *
         *     Needs the permission to chat. An API token needs the scope `read`.
         */
        get: operations["getChatSessionsId"];
        put?: never;
        post?: never;
        /**
         * Delete a conversation for good
         * @description Also one in the trash. It goes with everything in it; nothing can be restored.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`.
         */
        delete: operations["deleteChatSessionsId"];
        options?: never;
        head?: never;
        /**
         * Rename a conversation, complete, pin, archive or tag it, or show another branch
         * @description current_message_id shows the branch of that message, down to the newest message below it.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`. Without `read` it is answered 204 with nothing.
         */
        patch: operations["patchChatSessionsId"];
        trace?: never;
    };
    "/api/chat/sessions/{id}/calls/{call_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Allow or refuse a call of an agent that waits
         * @description A call that would change something waits when words of files or of the web are in the conversation, and one of a connected server that asks first. It is made once, after its answer has ended; the answer then goes on with what came of it, or without it: `streaming` says so, and the stream of the conversation tells the rest.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`.
         */
        post: operations["postChatSessionsIdCallsCallId"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/sessions/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a conversation as a file
         * @description Markdown holds the branch that is shown, with times in the zone of the caller; JSON holds every branch.
         *
         *     Needs the permission to chat. An API token needs the scope `read`.
         */
        get: operations["getChatSessionsIdExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/sessions/{id}/messages/{message_id}/continue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on with an answer that was cut at its length
         * @description One whose `stop_reason` is `length`: what follows is added to it. `streaming` is true then, and the stream of the conversation tells the rest.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`.
         */
        post: operations["postChatSessionsIdMessagesMessageIdContinue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/sessions/{id}/regenerate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make another answer beside one that is there
         * @description The conversation shows the new answer, unless it is made beside another one to be compared; of these, a few are made at once. A model that is given makes this one alone. Each event has an id; the last line is `data: [DONE]`. A lost connection does not stop the answer: follow it again with `Last-Event-ID`.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`.
         */
        post: operations["postChatSessionsIdRegenerate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/sessions/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop the answer that is being made
         * @description What had arrived is kept, marked interrupted. Does nothing when no answer is being made.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`.
         */
        post: operations["postChatSessionsIdStop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/sessions/{id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow an answer
         * @description Replays and follows the newest answer, or the one of message_id; ids of events count within one answer, so send message_id together with Last-Event-ID. An answer whose events are not kept any more is told anew, beginning with its session event.
         *
         *     Needs the permission to chat. An API token needs the scope `read`.
         */
        get: operations["getChatSessionsIdStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/sessions/change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive, tag or move several conversations
         * @description Ids that are not there, or not the caller’s, are left out of the count.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`.
         */
        post: operations["postChatSessionsChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/sessions/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete several conversations for good
         * @description Also of those in the trash; nothing can be restored. Ids that are not there, or not the caller’s, are left out of the count.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`.
         */
        post: operations["postChatSessionsDelete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/sessions/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore conversations from the trash
         * @description They are as they were before. Ids that are not in the caller’s trash are left out of the count.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`.
         */
        post: operations["postChatSessionsRestore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/sessions/trash": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move conversations to the trash
         * @description Nothing but the list of the trash shows them there, links to them open nothing, and they are deleted for good when their days are over (`trash.days` of GET /config; 409 `trash_off` when that is 0). An answer that is being made ends where it is. Ids that are not there, or not the caller’s, are left out of the count.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`.
         */
        post: operations["postChatSessionsTrash"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Total the conversations
         * @description Needs the permission to chat. An API token needs the scope `read`.
         */
        get: operations["getChatStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tags of the conversations
         * @description Needs the permission to chat. An API token needs the scope `read`.
         */
        get: operations["getChatTags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a client needs before anybody signs in
         * @description Anyone may call this.
         */
        get: operations["getConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what the caller did last
         * @description Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getDashboardActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what works on this server
         * @description Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getDashboardHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the four cards of the overview
         * @description Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getDashboardOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open a page to read this document and to try it
         * @description Anyone may call this.
         */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a file of that page
         * @description Anyone may call this.
         */
        get: operations["getDocsFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow what happens
         * @description One stream of what happens to the caller’s things. Events that come while nobody listens are not kept: after connecting again, read what is shown anew.
         *
         *     Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read whether the server works
         * @description Answers 200 also when a part does not work: `status` is `degraded` then. Addresses of servers are told to administrators alone.
         *
         *     Anyone may call this.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/image-effects/effects/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply an effect or a recipe
         * @description The picture is a file of the form, or an item of the memory (media_id, and frame_number for a film or page). JPEG, PNG, WebP and BMP up to 50 MB and 50 megapixels. A request that is given up stops the work. The same recipe on the same picture gives the same bytes.
         *
         *     Needs the permission to upload. An API token needs the scope `write`.
         */
        post: operations["postImageEffectsEffectsApply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/image-effects/effects/available": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the effects
         * @description Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getImageEffectsEffectsAvailable"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/image-effects/effects/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply several effects, each to the same picture
         * @description The picture is a file of the form, or an item of the memory (media_id, and frame_number for a film or page). JPEG, PNG, WebP and BMP up to 50 MB and 50 megapixels. A request that is given up stops the work. An effect that fails does so alone: its result carries the reason.
         *
         *     Needs the permission to upload. An API token needs the scope `write`.
         */
        post: operations["postImageEffectsEffectsBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/image-effects/effects/download/{download_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a picture that effects made
         * @description Opens with a token or with the signed path that a result carries. PNG unless another format is asked for.
         *
         *     Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getImageEffectsEffectsDownloadDownloadId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/image-effects/effects/gallery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the pictures that effects made
         * @description Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getImageEffectsEffectsGallery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/image-effects/effects/gallery/{download_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a picture that effects made
         * @description Needs the permission to upload. An API token needs the scope `write`.
         */
        delete: operations["deleteImageEffectsEffectsGalleryDownloadId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/image-effects/effects/gallery/{download_id}/keep": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Keep a picture that effects made in memory
         * @description 200 with the item that is there when the same picture was kept before.
         *
         *     Needs the permission to upload. An API token needs the scope `write`. Without `read` it is answered 204 with nothing.
         */
        post: operations["postImageEffectsEffectsGalleryDownloadIdKeep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/image-effects/effects/previews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See every effect on a small copy of a picture
         * @description The picture is a file of the form, or an item of the memory (media_id, and frame_number for a film or page). JPEG, PNG, WebP and BMP up to 50 MB and 50 megapixels. A request that is given up stops the work.
         *
         *     Needs the permission to upload. An API token needs the scope `write`.
         */
        post: operations["postImageEffectsEffectsPreviews"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/image-effects/recipes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller’s recipes
         * @description Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getImageEffectsRecipes"];
        put?: never;
        /**
         * Save a recipe
         * @description One of the same name is replaced.
         *
         *     Needs the permission to upload. An API token needs the scope `write`.
         */
        post: operations["postImageEffectsRecipes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/image-effects/recipes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a recipe
         * @description Needs the permission to upload. An API token needs the scope `write`.
         */
        delete: operations["deleteImageEffectsRecipesId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the imports
         * @description Newest first.
         *
         *     Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getImports"];
        put?: never;
        /**
         * Bring things from another program
         * @description A file that the program exported, as it came: conversations, or (`takeout`, `apple`, `files`) a ZIP file of pictures, films and documents. It is read whole before anything of it is stored, and what was brought before is skipped. Or as JSON the address of a server (`immich`) and a key of it, with which it is asked for what it keeps; the key is kept encrypted until the import is over. With `preview` it is only counted, and POST /imports/{id}/start brings it.
         *
         *     Anyone who is signed in may call this. An API token needs the scope `write`.
         */
        post: operations["postImports"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/imports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an import
         * @description Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getImportsId"];
        put?: never;
        post?: never;
        /**
         * Cancel or undo an import
         * @description One that waits or runs is cancelled and stays listed; of one that is over, all that it brought is deleted, and so is it. Thousands take minutes, in which it is `undoing` and `imported` tells how many are left: the answer waits for them, or for as many seconds as `wait` says, and is 202 with the import then. It goes on when nobody waits.
         *
         *     Anyone who is signed in may call this. An API token needs the scope `write`.
         */
        delete: operations["deleteImportsId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/imports/{id}/source": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count a file as that of another program
         * @description Of one that was to be counted and is no export of the program that was named: the file is kept for a day (`has_file`), and need not be sent again.
         *
         *     Anyone who is signed in may call this. An API token needs the scope `write`.
         */
        post: operations["postImportsIdSource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/imports/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring what was only counted
         * @description Anyone who is signed in may call this. An API token needs the scope `write`.
         */
        post: operations["postImportsIdStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete everything that is the caller’s, but not the account
         * @description Anyone who is signed in may call this. A personal API token does not open it.
         */
        delete: operations["deleteMeData"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export everything that is the caller’s
         * @description A ZIP archive of any size: every row as JSON, conversations as Markdown, the originals of all files, and a manifest with the SHA-256 of each. At most three begin in a minute.
         *
         *     Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getMeExport"];
        put?: never;
        /**
         * Make an address that a browser loads an export of everything from
         * @description It opens for five minutes. A script can read GET /me/export with its token at once.
         *
         *     Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        post: operations["postMeExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/facts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the remembered facts
         * @description The newest first. `query` is looked for in their texts.
         *
         *     Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getMeFacts"];
        put?: never;
        /**
         * Have a fact remembered
         * @description The same text again answers 200 with the fact that is there.
         *
         *     Anyone who is signed in may call this. An API token needs the scope `write`.
         */
        post: operations["postMeFacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/facts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Forget a remembered fact
         * @description Anyone who is signed in may call this. An API token needs the scope `write`.
         */
        delete: operations["deleteMeFactsId"];
        options?: never;
        head?: never;
        /**
         * Change a remembered fact
         * @description Anyone who is signed in may call this. An API token needs the scope `write`. Without `read` it is answered 204 with nothing.
         */
        patch: operations["patchMeFactsId"];
        trace?: never;
    };
    "/api/me/hooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the hooks
         * @description Newest first, each with what it was told last.
         *
         *     Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getMeHooks"];
        put?: never;
        /**
         * Add a hook
         * @description The secret is shown in this answer alone. Deliveries are signed with it as Standard Webhooks says: `webhook-id`, `webhook-timestamp` and `webhook-signature`. `automation.run` is for administrators. An API token cannot add one.
         *
         *     Anyone who is signed in may call this. A personal API token does not open it.
         */
        post: operations["postMeHooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/hooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a hook
         * @description With its log, and with what waits to be delivered.
         *
         *     Anyone who is signed in may call this. An API token needs the scope `write`.
         */
        delete: operations["deleteMeHooksId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/hooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what a hook was told
         * @description Newest first; kept for 30 days.
         *
         *     Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getMeHooksIdDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/hooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a trial to a hook
         * @description Once, and at once: the answer tells what came of it.
         *
         *     Anyone who is signed in may call this. An API token needs the scope `write`.
         */
        post: operations["postMeHooksIdTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/instructions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what holds in every conversation of the caller
         * @description Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getMeInstructions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change what holds in every conversation of the caller
         * @description What is left out stays; an empty text takes it back. It holds from the next answer on.
         *
         *     Anyone who is signed in may call this. An API token needs the scope `write`. Without `read` it is answered 204 with nothing.
         */
        patch: operations["patchMeInstructions"];
        trace?: never;
    };
    "/api/me/mcp-servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's own MCP servers
         * @description In the order in which they were added. Where `allowed` is false none of them is used.
         *
         *     Needs the permission to use agents. An API token needs the scope `read`.
         */
        get: operations["getMeMcpServers"];
        put?: never;
        /**
         * Connect an MCP server for oneself
         * @description Over Streamable HTTP, at an address of the public internet (or one listed in FETCH_ALLOWED_HOSTS). It is asked for its tools before this answers; what goes wrong then is in `check`. Key and headers are kept encrypted; they are written, and never read.
         *
         *     Needs the permission to use agents. A personal API token does not open it.
         */
        post: operations["postMeMcpServers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/mcp-servers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an own MCP server
         * @description Needs the permission to use agents. A personal API token does not open it.
         */
        delete: operations["deleteMeMcpServersId"];
        options?: never;
        head?: never;
        /**
         * Change an own MCP server
         * @description What is left out stays; an empty key and null remove it. Key and headers are kept encrypted; they are written, and never read. At another host those that are not given again are forgotten.
         *
         *     Needs the permission to use agents. A personal API token does not open it.
         */
        patch: operations["patchMeMcpServersId"];
        trace?: never;
    };
    "/api/me/mcp-servers/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask an own MCP server for its tools
         * @description What goes wrong is in `check`; the tools that it listed before stay then.
         *
         *     Needs the permission to use agents. A personal API token does not open it.
         */
        post: operations["postMeMcpServersIdTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what the caller chose
         * @description Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getMePreferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change what the caller chose, for all of their devices
         * @description Anyone who is signed in may call this. An API token needs the scope `write`.
         */
        patch: operations["patchMePreferences"];
        trace?: never;
    };
    "/api/me/programs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the programs that have access
         * @description Newest first: those that the caller let in by OAuth.
         *
         *     Anyone who is signed in may call this. A personal API token does not open it.
         */
        get: operations["getMePrograms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/programs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End the access of a program
         * @description At once, with every token of it.
         *
         *     Anyone who is signed in may call this. A personal API token does not open it.
         */
        delete: operations["deleteMeProgramsId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/storage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how much the caller stores, and may
         * @description Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getMeStorage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/summaries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the weekly summaries of the caller, newest first
         * @description Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getMeSummaries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an item with all that was found in it
         * @description Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getMediaId"];
        put?: never;
        post?: never;
        /**
         * Delete an item for good, with everything that was made of it
         * @description Also one in the trash. Rows go at once, files soon after; nothing can be restored.
         *
         *     Needs the permission to upload. An API token needs the scope `write`.
         */
        delete: operations["deleteMediaId"];
        options?: never;
        head?: never;
        /**
         * Correct an item
         * @description What is given is kept as the person’s own, whatever engines find later; null takes it back, so that it is found out anew.
         *
         *     Needs the permission to upload. An API token needs the scope `write`. Without `read` it is answered 204 with nothing.
         */
        patch: operations["patchMediaId"];
        trace?: never;
    };
    "/api/media/{id}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Load an item as it was given
         * @description Opens with a token or with the signed path that an item carries.
         *
         *     Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getMediaIdFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/{id}/film": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Load the film that was taken with a picture as it was given
         * @description Opens with a token or with the signed path that an item carries.
         *
         *     Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getMediaIdFilm"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/{id}/frames/{n}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Load a small picture of a frame
         * @description Opens with a token or with the signed path that an item carries.
         *
         *     Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getMediaIdFramesN"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/{id}/motion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Load the film that was taken with a picture, as every browser can play it
         * @description Opens with a token or with the signed path that an item carries.
         *
         *     Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getMediaIdMotion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/{id}/pages/{n}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Load a small picture of a page
         * @description Opens with a token or with the signed path that an item carries.
         *
         *     Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getMediaIdPagesN"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Load an item as every browser can show or play it
         * @description Opens with a token or with the signed path that an item carries.
         *
         *     Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getMediaIdPreview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/{id}/reprocess": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Process an item again, or steps of it
         * @description What a person wrote or corrected stays.
         *
         *     Needs the permission to upload. An API token needs the scope `write`. Without `read` it is answered 204 with nothing.
         */
        post: operations["postMediaIdReprocess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/{id}/thumbnail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Load a small picture of an item
         * @description Opens with a token or with the signed path that an item carries. `size=small` stands after the signature, and gives one of 384 pixels in place of 512.
         *
         *     Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getMediaIdThumbnail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Load the files of several items as a ZIP archive
         * @description Opens with a token or with the address that POST /media/archive makes.
         *
         *     Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getMediaArchive"];
        put?: never;
        /**
         * Make an address that a browser loads several items from, as one archive
         * @description It opens for five minutes. Items that are not the caller’s are left out.
         *
         *     Needs the permission to upload. An API token needs the scope `read`.
         */
        post: operations["postMediaArchive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Correct the date, place or tags of many items
         * @description All of them or none. What is given is kept as the person’s own, whatever files tell; null takes it back.
         *
         *     Needs the permission to upload. An API token needs the scope `write`.
         */
        post: operations["postMediaChanges"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete items for good, with everything that was made of them
         * @description Also of those in the trash. Rows go at once, files soon after; nothing can be restored.
         *
         *     Needs the permission to upload. An API token needs the scope `write`.
         */
        post: operations["postMediaDelete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/known": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask which files are there already, before they are sent
         * @description Needs the permission to upload. An API token needs the scope `upload`.
         */
        post: operations["postMediaKnown"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/library": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List items
         * @description Texts are cut to 500 characters; GET /media/{id} has the whole of them. `in=trash` lists what is in the trash, of which nothing else but the thumbnail can be read.
         *
         *     Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getMediaLibrary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/reprocess": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how far the processing of many items is
         * @description Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getMediaReprocess"];
        put?: never;
        /**
         * Process many items again, in the background
         * @description Those with the given ids, those that the filter lets through, or all that the caller has. What a person wrote or corrected stays. 409 while one is going on.
         *
         *     Needs the permission to upload. An API token needs the scope `write`.
         */
        post: operations["postMediaReprocess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore items from the trash
         * @description They are as they were before. Ids that are not in the caller’s trash are left out of the count.
         *
         *     Needs the permission to upload. An API token needs the scope `write`.
         */
        post: operations["postMediaRestore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search everything that was uploaded
         * @description Finds pictures, frames, pages and sentences by words and, where an engine is connected, by meaning. The query may hold filters: `type:video before:2026-05 after:2026-01-31 tag:home "exact words" -without`.
         *
         *     Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getMediaSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the caller’s own totals
         * @description Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getMediaStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller’s tags
         * @description Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getMediaTags"];
        put?: never;
        /**
         * Add tags to items and remove tags from them
         * @description Needs the permission to upload. An API token needs the scope `write`.
         */
        post: operations["postMediaTags"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/trash": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move items to the trash
         * @description Nothing but the list of the trash shows them there, they count toward the storage, and they are deleted for good when their days are over (`trash.days` of GET /config; 409 `trash_off` when that is 0). Uploading the same file again restores the item. Ids that are not there, or not the caller’s, are left out of the count.
         *
         *     Needs the permission to upload. An API token needs the scope `write`.
         */
        post: operations["postMediaTrash"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload a file
         * @description Fields may stand before or after the file. 201 when everything is done within `wait` seconds, 202 when it goes on; the bytes are stored before either. 200 with the item that is there when the same content was uploaded before.
         *
         *     Needs the permission to upload. An API token needs the scope `upload`.
         */
        post: operations["postMediaUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List unfinished uploads
         * @description Needs the permission to upload. An API token needs the scope `upload`.
         */
        get: operations["getMediaUploads"];
        put?: never;
        /**
         * Begin an upload that arrives in parts (tus 1.0)
         * @description Upload-Length is the size of the file: films and recordings up to `upload_bytes` of GET /config, pictures and documents up to `still_upload_bytes`. Upload-Metadata may hold filename, fingerprint (what the sender knows the file by), generate_caption, extract_text and keep_place; with import_source (and import_preview) the file is one that another program exported and becomes an import. The answer’s Location is where the parts go.
         *
         *     Needs the permission to upload. An API token needs the scope `upload`.
         */
        post: operations["postMediaUploads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/uploads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how far an upload is and what it became
         * @description Once all bytes are there `media_item`, or `import_id`, is what they became; what is wrong with them is the answer.
         *
         *     Needs the permission to upload. An API token needs the scope `upload`.
         */
        get: operations["getMediaUploadsId"];
        put?: never;
        post?: never;
        /**
         * Discard an upload
         * @description What it became stays.
         *
         *     Needs the permission to upload. An API token needs the scope `upload`.
         */
        delete: operations["deleteMediaUploadsId"];
        options?: never;
        head?: never;
        /**
         * Send a part (tus 1.0)
         * @description The body is `application/offset+octet-stream` of at most 100 MB, Upload-Offset says where it begins, Upload-Checksum (sha1, sha256 or md5) what it must be. With the last byte the file becomes an item, or the answer is why it cannot.
         *
         *     Needs the permission to upload. An API token needs the scope `upload`.
         */
        patch: operations["patchMediaUploadsId"];
        trace?: never;
    };
    "/api/memory/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what the caller asked, added, searched and called
         * @description Newest first. All filters combine; `range` is read in the time zone of the caller. What was not measured, or went with its source, is null. The figures in `stats` do not depend on the filters.
         *
         *     Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getMemoryLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/memory/logs/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the same as a CSV file
         * @description UTF-8, RFC 4180; what a spreadsheet would take for a formula is led by an apostrophe.
         *
         *     Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getMemoryLogsExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/memory/opened": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell that a result of a search was opened
         * @description Needs the permission to upload. An API token needs the scope `write`.
         */
        post: operations["postMemoryOpened"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the figures of this process for Prometheus
         * @description Counts and times, nothing of what people do or hold. `METRICS=open` opens it to everybody who reaches the server.
         *
         *     For administrators. An API token needs the scope `admin`.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the models that may be picked for a conversation
         * @description Of all connections, each once: the first connection that has it answers.
         *
         *     Needs the permission to chat. An API token needs the scope `read`.
         */
        get: operations["getModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Keep a note
         * @description A Markdown document of the memory, dated and searchable. 200 with the item that is there when the very same note was kept before.
         *
         *     Needs the permission to upload. An API token needs the scope `upload`.
         */
        post: operations["postNotes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a note as it was written
         * @description Needs the permission to upload. An API token needs the scope `read`.
         */
        get: operations["getNotesId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Write a note anew
         * @description What is left out stays. From then on it is found by what it says now.
         *
         *     Needs the permission to upload. An API token needs the scope `upload`. Without `read` it is answered 204 with nothing.
         */
        patch: operations["patchNotesId"];
        trace?: never;
    };
    "/api/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the notifications
         * @description Newest first; `unread` leaves out those that were read. New ones come through /events.
         *
         *     Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark notifications as read
         * @description All of them without ids; ids that are not there, or not the caller’s, are left out.
         *
         *     Anyone who is signed in may call this. An API token needs the scope `write`.
         */
        post: operations["postNotificationsRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/shown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim reminders to show
         * @description For a device that shows what came due by itself: gives unread reminders that no other device of the caller has claimed, of one reminder (`subject_id`) or all.
         *
         *     Anyone who is signed in may call this. An API token needs the scope `write`.
         */
        post: operations["postNotificationsShown"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oauth/consent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read which program asks for what
         * @description The query is the one that the program sent the browser with to /oauth/authorize.
         *
         *     Anyone who is signed in may call this. A personal API token does not open it.
         */
        get: operations["getOauthConsent"];
        put?: never;
        /**
         * Agree that a program gets access, or refuse
         * @description The browser goes on to `redirect_to`, the address of the program with what was said.
         *
         *     Anyone who is signed in may call this. A personal API token does not open it.
         */
        post: operations["postOauthConsent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read this document
         * @description Anyone may call this.
         */
        get: operations["getOpenapiJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Keep a web page by its address
         * @description Its readable text, its title, date and address; the original is the page as it came, which is only ever saved, never run. PDFs and pictures at an address become such items. 200 with the item that is there when the address was kept before, unless `again` is true; 201 when everything is done within `wait` seconds, 202 when it goes on.
         *
         *     Needs the permission to upload. An API token needs the scope `upload`.
         */
        post: operations["postPages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/personas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the personas
         * @description The caller’s own and those shared with everybody, in the order of their names.
         *
         *     Needs the permission to chat. An API token needs the scope `read`.
         */
        get: operations["getPersonas"];
        put?: never;
        /**
         * Make a persona
         * @description Instructions, model, tools, items, a picture and questions to begin with.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`.
         */
        post: operations["postPersonas"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/personas/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a persona
         * @description Its conversations stay.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`.
         */
        delete: operations["deletePersonasId"];
        options?: never;
        head?: never;
        /**
         * Change a persona
         * @description What is left out stays. One that is shared is changed by /admin/personas.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`. Without `read` it is answered 204 with nothing.
         */
        patch: operations["patchPersonasId"];
        trace?: never;
    };
    "/api/personas/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what a persona may be allowed to use
         * @description Agents, tools of connected servers and what answers have of their own, as far as the caller may use them.
         *
         *     Needs the permission to chat. An API token needs the scope `read`.
         */
        get: operations["getPersonasTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the projects
         * @description In the order of their names.
         *
         *     Needs the permission to chat. An API token needs the scope `read`.
         */
        get: operations["getProjects"];
        put?: never;
        /**
         * Make a project
         * @description Its instructions reach the model in each of its conversations, which are answered from its items, or those that its search finds, alone.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`.
         */
        post: operations["postProjects"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a project
         * @description Its conversations stay.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`.
         */
        delete: operations["deleteProjectsId"];
        options?: never;
        head?: never;
        /**
         * Change a project
         * @description What is left out stays.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`. Without `read` it is answered 204 with nothing.
         */
        patch: operations["patchProjectsId"];
        trace?: never;
    };
    "/api/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the saved prompts
         * @description In the order of their commands.
         *
         *     Needs the permission to chat. An API token needs the scope `read`.
         */
        get: operations["getPrompts"];
        put?: never;
        /**
         * Save a prompt
         * @description Names in double braces, such as {{city}}, are filled in when it is used. Each command is there once.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`.
         */
        post: operations["postPrompts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/prompts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a saved prompt
         * @description Needs the permission to chat. An API token needs the scope `chat`.
         */
        delete: operations["deletePromptsId"];
        options?: never;
        head?: never;
        /**
         * Change a saved prompt
         * @description What is left out stays.
         *
         *     Needs the permission to chat. An API token needs the scope `chat`. Without `read` it is answered 204 with nothing.
         */
        patch: operations["patchPromptsId"];
        trace?: never;
    };
    "/api/public/shares/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a link shares
         * @description Anyone may call this.
         */
        get: operations["getPublicSharesToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/shares/{token}/continue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on with a shared conversation as one’s own
         * @description Needs the permission to chat. An API token needs the scope `chat`.
         */
        post: operations["postPublicSharesTokenContinue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/shares/{token}/images/{id}/{n}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Load a picture of what a link shares
         * @description Anyone may call this.
         */
        get: operations["getPublicSharesTokenImagesIdN"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/push/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the key that browsers subscribe with
         * @description Anyone who is signed in may call this. An API token needs the scope `read`.
         */
        get: operations["getPushKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/push/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have a device told
         * @description Of reminders that are due, of long uploads that are done, and of answers. It ends with the session that asked for it, and when the push service says that the device is gone.
         *
         *     Anyone who is signed in may call this. A personal API token does not open it.
         */
        post: operations["postPushSubscriptions"];
        /**
         * Have a device told no more
         * @description Anyone who is signed in may call this. An API token needs the scope `write`.
         */
        delete: operations["deletePushSubscriptions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/reminders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the reminders
         * @description Active ones by when they are due, the next one first; completed ones newest first.
         *
         *     Needs the permission to use agents. An API token needs the scope `read`.
         */
        get: operations["getReminders"];
        put?: never;
        /**
         * Add a reminder
         * @description With a recurrence it is first told at its first time at or after due_at, and keeps its time of day in its zone. When it is due it comes through /events and waits as a notification.
         *
         *     Needs the permission to use agents. An API token needs the scope `agents`.
         */
        post: operations["postReminders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/reminders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a reminder
         * @description Of one that recurs, all its times.
         *
         *     Needs the permission to use agents. An API token needs the scope `agents`.
         */
        delete: operations["deleteRemindersId"];
        options?: never;
        head?: never;
        /**
         * Change a reminder
         * @description What is left out stays. One that was completed and gets another time is active again.
         *
         *     Needs the permission to use agents. An API token needs the scope `agents`. Without `read` it is answered 204 with nothing.
         */
        patch: operations["patchRemindersId"];
        trace?: never;
    };
    "/api/reminders/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a reminder
         * @description One that recurs moves to its next time; delete it to end it.
         *
         *     Needs the permission to use agents. An API token needs the scope `agents`. Without `read` it is answered 204 with nothing.
         */
        post: operations["postRemindersIdComplete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/reminders/{id}/snooze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Be told again later
         * @description Needs the permission to use agents. An API token needs the scope `agents`. Without `read` it is answered 204 with nothing.
         */
        post: operations["postRemindersIdSnooze"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the links to shared conversations
         * @description Newest first; those of one conversation where `subject_id` names it.
         *
         *     Needs the permission to chat. An API token needs the scope `read`.
         */
        get: operations["getShares"];
        put?: never;
        /**
         * Share a conversation by a link
         * @description Everybody with the link reads the branch that is shown, as it is now: later messages and other branches are not in it. Of what answers cite, the names alone are shown.
         *
         *     Needs the permission to chat. A personal API token does not open it.
         */
        post: operations["postShares"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/shares/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a link
         * @description Needs the permission to chat. An API token needs the scope `chat`.
         */
        delete: operations["deleteSharesId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/voice/speak": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read a text aloud
         * @description Marks of Markdown are left out. The sound comes as it is made.
         *
         *     Needs the permission to use voice. An API token needs the scope `chat`.
         */
        post: operations["postVoiceSpeak"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/voice/transcribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write down what is said
         * @description A recording of at most 25 MB and 10 minutes, judged by its content. It is not kept. A request that is given up stops the work.
         *
         *     Needs the permission to use voice. An API token needs the scope `chat`.
         */
        post: operations["postVoiceTranscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/web": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell whether conversations may look things up on the web
         * @description A conversation does so once its `parameters` say `use_web`.
         *
         *     Needs the permission to chat. An API token needs the scope `read`.
         */
        get: operations["getWeb"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AcceptInvitation: {
            full_name?: string | null;
            /** Format: password */
            password: string;
            token: string;
            username: string;
        };
        AccessItem: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /** Format: uuid */
            id: string;
            is_suspended: boolean;
            /** @enum {string} */
            kind: "session" | "api_token" | "program" | "passkey" | "oidc" | "share" | "webhook" | "mcp_server" | "push";
            last_used_at: string | null;
            name: string;
        };
        AccessItemsAnswer: {
            items: components["schemas"]["AccessItem"][];
            next_cursor: string | null;
        };
        ActivityAnswer: {
            activity: components["schemas"]["ActivityEntry"][];
        };
        ActivityEntry: {
            action: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            detail: string;
            /** Format: uuid */
            id: string;
            link: string | null;
            /** @enum {string} */
            outcome: "completed" | "failed" | "interrupted";
            title: string;
            /** @enum {string} */
            type: "chat" | "upload" | "search" | "agent" | "effect" | "automation" | "account";
        };
        AdministerPersona: {
            description?: string;
            instructions?: string;
            limited?: boolean;
            media_ids?: string[];
            model?: string | null;
            name?: string;
            picture?: string | null;
            shared?: boolean;
            starters?: string[];
            tools?: (("CalculatorAgent" | "WeatherAgent" | "NewsAgent" | "ReminderAgent" | "FileAgent" | "search_memory" | "remember" | "search_web" | "read_page" | "make_picture") | string)[] | null;
        };
        AdminSettings: {
            allows_own_mcp_servers: boolean;
            allows_remote_fine_tuning: boolean;
            assistant_name: string;
            backups: components["schemas"]["BackupSchedule"];
            engines: {
                [key: string]: components["schemas"]["EngineChoice"];
            };
            limits: {
                storage_bytes_per_user: number | null;
                upload_bytes: number;
            };
            news_feeds: components["schemas"]["NewsFeed"][];
            retention: {
                activity_days: number | null;
                agent_run_days: number | null;
                audit_days: number;
                automation_run_days: number;
                backups_kept: number;
                notification_days: number;
                trash_days: number;
            };
            sign_in: {
                idle_minutes: number | null;
                oidc_creates_accounts: boolean;
                passwords: boolean;
            };
        };
        AdminSettingsAnswer: {
            decided: string[];
            defaults: components["schemas"]["AdminSettings"];
            engines: {
                [key: string]: components["schemas"]["EngineState"];
            };
            settings: components["schemas"]["AdminSettings"];
            updated_at: string | null;
        };
        Agent: {
            available: boolean;
            capabilities: string[];
            description: string;
            intents: string[];
            name: string;
            unavailable_reason?: string;
        };
        AgentAnalytics: {
            agents: {
                avg_response_time: number | null;
                calls: number;
                last_used: string | null;
                name: string;
                /** @enum {string} */
                status: "active" | "warning" | "error";
                success_rate: number | null;
            }[];
            totals: {
                avg_response_time: number | null;
                calls: number;
                success_rate: number | null;
            };
        };
        AgentAnswer: {
            data: components["schemas"]["AgentData"];
            duration_ms: number;
            output: string;
        };
        AgentAskAnswer: {
            agent: string | null;
            candidates: components["schemas"]["AgentCandidate"][];
            confidence: number;
            data: components["schemas"]["AgentData"] | null;
            duration_ms: number;
            output: string;
        };
        AgentCall: {
            allowed?: boolean;
            arguments?: unknown;
            call_id: string;
            duration_ms?: number;
            found?: number;
            name: string;
            quotes_others?: boolean;
            sends_out?: boolean;
            /** @enum {string} */
            state: "started" | "finished" | "failed" | "waiting" | "refused";
            summary?: string;
        };
        AgentCandidate: {
            confidence: number;
            example: string;
            name: string;
        };
        AgentData: components["schemas"]["CalculationData"] | components["schemas"]["WeatherData"] | components["schemas"]["NewsData"] | components["schemas"]["RemindersData"] | components["schemas"]["FilesData"];
        AgentInput: {
            input: string;
        };
        AgentRun: {
            agent: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            data: components["schemas"]["AgentData"] | null;
            duration_ms: number;
            /** Format: uuid */
            id: string;
            input: string;
            /** @enum {string} */
            origin: "page" | "chat" | "api";
            /** @enum {string} */
            outcome: "completed" | "failed" | "interrupted";
            output: string;
        };
        AgentRunsAnswer: {
            next_cursor: string | null;
            runs: components["schemas"]["AgentRun"][];
        };
        AgentRunsDeleted: {
            deleted: number;
        };
        AgentsStatus: {
            active_agents: string[];
            success_rate: number | null;
            total_agents: number;
            total_requests: number;
        };
        Analytics: {
            as_of: string | null;
            features: {
                /** @enum {string} */
                color: "data-1" | "data-2" | "data-3" | "data-4";
                count: number;
                /** @enum {string} */
                name: "Chat" | "Media Upload" | "Agents" | "Memory Search";
                value: number | null;
            }[];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            from: string;
            heatmap: {
                day: number;
                hour: number;
                intensity: number;
                value: number;
            }[];
            hourly: {
                count: number;
                hour: number;
                intensity: number;
                users: number;
            }[];
            insights: components["schemas"]["AnalyticsInsight"][];
            overview: {
                active_sessions: number;
                active_users: number;
                agent_calls: number;
                avg_session_time: number | null;
                chat_messages: number;
                media_uploads: number;
                search_queries: number;
                total_sessions: number;
                total_users: number;
                trends: {
                    active_sessions: number | null;
                    active_users: number | null;
                    agent_calls: number | null;
                    avg_session_time: number | null;
                    chat_messages: number | null;
                    media_uploads: number | null;
                    search_queries: number | null;
                    total_sessions: number | null;
                    total_users: number | null;
                };
            };
            performance: {
                change: number | null;
                /** @enum {string} */
                metric: "response_time_p50" | "response_time_p95" | "time_to_first_token" | "error_rate" | "ingestion_time";
                trend: ("up" | "down" | "stable") | null;
                /** @enum {string} */
                unit: "seconds" | "percent";
                value: number | null;
            }[];
            /** @enum {string} */
            period: "day" | "week" | "month" | "quarter";
            time_zone: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            until: string;
            usage: {
                agents: number;
                chat: number;
                date: string;
                search: number;
                upload: number;
            }[];
            user_id: string | null;
        };
        AnalyticsInsight: {
            /** @constant */
            kind: "peak_usage";
            numbers: {
                count: number;
                day: number;
                day_count: number;
                hour: number;
                share: number;
            } | null;
        } | {
            /** @constant */
            kind: "growth";
            numbers: {
                change: number;
                current: number;
                previous: number;
            } | null;
        } | {
            /** @constant */
            kind: "performance";
            numbers: {
                change: number | null;
                error_rate: number | null;
                p50: number;
                p95: number;
            } | null;
        } | {
            /** @constant */
            kind: "user_behavior";
            numbers: {
                active_users: number;
                /** @enum {string} */
                feature: "Chat" | "Media Upload" | "Agents" | "Memory Search";
                share: number;
                uses_per_user: number;
            } | null;
        };
        AnswerCall: {
            allow: boolean;
        };
        AnswerVersions: {
            messages: components["schemas"]["ChatMessage"][];
        };
        ApiToken: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            expires_at: string | null;
            /** Format: uuid */
            id: string;
            last_used_at: string | null;
            name: string;
            scopes: ("read" | "write" | "chat" | "upload" | "agents" | "admin")[];
            token?: string;
        };
        ApplyAnswer: {
            result: components["schemas"]["EffectResult"];
            success: boolean;
        };
        AttachedMedia: {
            media_id: string | null;
            media_type: string;
            thumbnail: string | null;
            title: string;
            url: string | null;
        };
        AuditAnswer: {
            entries: components["schemas"]["AuditEntry"][];
            next_cursor: string | null;
        };
        AuditEntry: {
            action: string;
            actor_id: string | null;
            actor_name: string | null;
            address: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            detail: {
                [key: string]: unknown;
            };
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            outcome: "done" | "begun" | "failed";
            subject_id: string | null;
            subject_name: string | null;
            /** @enum {string} */
            via: "session" | "token" | "signed" | "none" | "command";
        };
        AuthSession: {
            address: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            current: boolean;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            last_used_at: string;
            /** @enum {string} */
            method: "password" | "code" | "passkey" | "oidc" | "invitation";
            user_agent: string;
        };
        AutomationHealth: {
            scheduler_running: boolean;
            /** @constant */
            status: "ok";
        };
        AutomationRun: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            duration_seconds: number | null;
            error_message: string | null;
            error_told: components["schemas"]["CodedSentence"][];
            finished_at: string | null;
            /** Format: uuid */
            id: string;
            progress: number | null;
            reason: string | null;
            results: ({
                items_processed: number;
                success: boolean;
            } & {
                [key: string]: string | number | boolean | null;
            }) | null;
            scheduled_for: string | null;
            started_at: string | null;
            /** @enum {string} */
            status: "pending" | "running" | "completed" | "failed" | "cancelled";
            /** @enum {string} */
            task_type: "memory_update" | "classifier_retrain" | "summary_generation" | "model_finetuning";
            /** @enum {string} */
            trigger: "schedule" | "manual" | "retry";
        };
        AutomationRunDetail: {
            attempts: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            duration_seconds: number | null;
            error_message: string | null;
            error_told: components["schemas"]["CodedSentence"][];
            finished_at: string | null;
            has_dataset: boolean;
            /** Format: uuid */
            id: string;
            log: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                at: string;
                /** @enum {string} */
                level: "info" | "warning" | "error";
                text: string;
                told: components["schemas"]["CodedSentence"][];
            }[];
            progress: number | null;
            reason: string | null;
            results: ({
                items_processed: number;
                success: boolean;
            } & {
                [key: string]: string | number | boolean | null;
            }) | null;
            scheduled_for: string | null;
            started_at: string | null;
            /** @enum {string} */
            status: "pending" | "running" | "completed" | "failed" | "cancelled";
            steps: components["schemas"]["AutomationRunStep"][];
            /** @enum {string} */
            task_type: "memory_update" | "classifier_retrain" | "summary_generation" | "model_finetuning";
            /** @enum {string} */
            trigger: "schedule" | "manual" | "retry";
        };
        AutomationRunsAnswer: {
            next_cursor: string | null;
            runs: components["schemas"]["AutomationRun"][];
        };
        AutomationRunStep: {
            error: string | null;
            error_told: components["schemas"]["CodedSentence"][];
            finished_at: string | null;
            items: number;
            name: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            started_at: string;
            /** @enum {string} */
            status: "running" | "completed" | "failed";
            total: number | null;
        };
        AutomationStatusAnswer: {
            automation_status: {
                active_jobs: number;
                current_runs: number;
                scheduler_running: boolean;
                tasks: {
                    [key: string]: components["schemas"]["AutomationTask"];
                };
            };
            /** @constant */
            success: true;
        };
        AutomationTask: {
            is_enabled: boolean;
            last_run: {
                duration: number | null;
                error: string | null;
                error_told: components["schemas"]["CodedSentence"][];
                /** Format: uuid */
                id: string;
                started_at: string | null;
                /** @enum {string} */
                status: "pending" | "running" | "completed" | "failed" | "cancelled";
            } | null;
            next_runs: string[];
            schedule: string | null;
            time_zone: string;
        };
        Backup: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            error: string | null;
            finished_at: string | null;
            /** Format: uuid */
            id: string;
            name: string;
            progress: number;
            proven_at: string | null;
            /** @enum {string} */
            reason: "manual" | "schedule" | "update";
            size_bytes: number | null;
            /** @enum {string} */
            state: "waiting" | "running" | "completed" | "failed";
            told: components["schemas"]["CodedSentence"][];
            unproven: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                at: string;
                reason: string;
                told: components["schemas"]["CodedSentence"][];
            } | null;
        };
        BackupsAnswer: {
            backups: components["schemas"]["Backup"][];
            directory: string;
            encrypted: boolean;
            files: components["schemas"]["FileScrubbing"];
            kept: number;
            last_proven_at: string | null;
            next_at: string | null;
            offsite: components["schemas"]["OffsiteState"] | null;
        };
        BackupSchedule: {
            at: string;
            /** @enum {string} */
            every: "never" | "day" | "week";
            offsite?: "" | string;
            time_zone: string;
            weekday: number;
        };
        BackupTicket: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            expires_at: string;
            url: string;
        };
        BatchAnswer: {
            results: components["schemas"]["EffectResult"][];
            success: boolean;
        };
        CalculationData: {
            figures: {
                name: string;
                value: string;
            }[];
            /** @enum {string} */
            form: "value" | "roots" | "statistics" | "date" | "days";
            is_exact: boolean;
            /** @constant */
            kind: "calculation";
            question: string;
            result: string;
            steps: string[];
        };
        ChangeChatSessions: {
            add_tags?: string[];
            archived?: boolean;
            ids: string[];
            project_id?: string | null;
            remove_tags?: string[];
        };
        Changed: {
            changed: number;
        };
        ChangedCount: {
            changed: number;
        };
        ChangePassword: {
            current_password?: string;
            end_access?: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                kind: "session" | "api_token" | "program" | "passkey" | "oidc" | "share" | "webhook" | "mcp_server" | "push";
            }[];
            /** Format: password */
            new_password: string;
        };
        ChatEvent: {
            /** Format: uuid */
            message_id: string;
            session_id: string | null;
            session_name: string;
            /** @constant */
            type: "session";
            /** Format: uuid */
            user_message_id: string;
        } | {
            allowed?: boolean;
            arguments?: unknown;
            call_id: string;
            duration_ms?: number;
            found?: number;
            name: string;
            quotes_others?: boolean;
            sends_out?: boolean;
            /** @enum {string} */
            state: "started" | "finished" | "failed" | "waiting" | "refused";
            summary?: string;
            /** @constant */
            type: "agent";
        } | {
            sources: components["schemas"]["Source"][];
            /** @constant */
            type: "sources";
        } | {
            content: string;
            /** @constant */
            type: "chunk";
        } | {
            content: string;
            /** @constant */
            type: "reasoning";
        } | {
            duration_ms: number;
            engine: string;
            interrupted: boolean;
            /** Format: uuid */
            message_id: string;
            model_used: string;
            session_id: string | null;
            /** @enum {string} */
            stop_reason?: "length" | "content_filter";
            /** @constant */
            type: "complete";
            usage: components["schemas"]["Usage"] | null;
        } | {
            code: string;
            content: string;
            told?: components["schemas"]["CodedSentence"][];
            /** @constant */
            type: "error";
        };
        ChatMessage: {
            agent_calls: components["schemas"]["AgentCall"][];
            content: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            duration_ms: number | null;
            engine: string | null;
            error: string | null;
            error_code: string | null;
            error_told?: components["schemas"]["CodedSentence"][];
            /** Format: uuid */
            id: string;
            images: {
                height: number;
                name: string;
                thumbnail: string;
                url: string;
                width: number;
            }[];
            interrupted: boolean;
            media: components["schemas"]["AttachedMedia"][];
            mentions: components["schemas"]["Mention"][];
            model_used: string | null;
            parent_id: string | null;
            rating: ("up" | "down") | null;
            reasoning: string | null;
            /** @enum {string} */
            role: "user" | "assistant";
            siblings: {
                count: number;
                index: number;
                next_id: string | null;
                previous_id: string | null;
            };
            sources: components["schemas"]["Source"][];
            /** @enum {string} */
            stop_reason?: "length" | "content_filter";
            streaming: boolean;
            usage: components["schemas"]["Usage"] | null;
        };
        ChatModel: {
            connection: string;
            context_tokens: number | null;
            id: string;
            is_default: boolean;
            name: string;
            price: {
                input: number;
                output: number;
            } | null;
            tools: boolean | null;
            vision: boolean | null;
        };
        ChatParameters: {
            max_tokens?: number;
            /** @enum {string} */
            reasoning_effort?: "low" | "medium" | "high";
            temperature?: number;
            top_p?: number;
            use_web?: boolean;
        };
        ChatRequest: {
            client_id?: string | null;
            content: string;
            /** @default false */
            has_images: boolean;
            history?: {
                content: string;
                /** @enum {string} */
                role: "user" | "assistant";
            }[];
            /** @default [] */
            images: string[];
            /** @default [] */
            media_ids: string[];
            /** @default [] */
            mentions: components["schemas"]["MentionRequest"][];
            model?: string | null;
            parameters?: components["schemas"]["ChatParameters"] | null;
            parent_id?: string | null;
            persona_id?: string | null;
            project_id?: string | null;
            session_id?: string | null;
            temporary?: boolean;
        };
        ChatSession: {
            agent_used: string | null;
            archived: boolean;
            avg_response_time: number | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /** Format: uuid */
            id: string;
            message_count: number;
            persona_id: string | null;
            pinned: boolean;
            project_id: string | null;
            /** @enum {string} */
            sentiment: "positive" | "neutral" | "negative";
            session_name: string;
            snippet: string | null;
            snippet_highlights?: number[][];
            snippet_message_id?: string | null;
            /** @enum {string} */
            status: "active" | "completed";
            tags: string[];
            tokens_used: number;
            trash?: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                since: string;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                until: string;
            };
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at: string;
        };
        ChatSessionDetail: {
            agent_used: string | null;
            archived: boolean;
            avg_response_time: number | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /** Format: uuid */
            id: string;
            message_count: number;
            messages: components["schemas"]["ChatMessage"][];
            model: string | null;
            parameters: components["schemas"]["ChatParameters"] | null;
            persona_id: string | null;
            pinned: boolean;
            previous_cursor: string | null;
            project_id: string | null;
            /** @enum {string} */
            sentiment: "positive" | "neutral" | "negative";
            session_name: string;
            snippet: string | null;
            snippet_highlights?: number[][];
            snippet_message_id?: string | null;
            /** @enum {string} */
            status: "active" | "completed";
            tags: string[];
            tokens_used: number;
            trash?: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                since: string;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                until: string;
            };
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at: string;
        };
        ChatStats: {
            active_sessions: number;
            agent_usage: number;
            avg_response_time: number | null;
            total_sessions: number;
        };
        ChatTags: {
            tags: {
                count: number;
                tag: string;
            }[];
        };
        Check: {
            /** Format: date-time */
            checked_at?: string;
            engine?: string;
            model?: string;
            reason?: string;
            /** @enum {string} */
            state: "ok" | "off" | "error";
            told?: components["schemas"]["CodedSentence"][];
        };
        CodedSentence: {
            code: string;
            params: {
                [key: string]: string | number;
            };
        };
        Config: {
            assistant_name: string;
            capabilities: {
                [key: string]: boolean;
            };
            limits: {
                effect_upload_bytes: number;
                message_characters: number;
                message_images: number;
                still_upload_bytes: number;
                upload_bytes: number;
                whole_upload_bytes: number;
            };
            /** @constant */
            phase_badge: "Phase 5";
            sign_in: components["schemas"]["SignInWays"];
            trash: {
                account_days: number;
                days: number;
            };
            version: string;
        };
        ConfirmAccess: {
            current_password?: string;
            items: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                kind: "session" | "api_token" | "program" | "passkey" | "oidc" | "share" | "webhook" | "mcp_server" | "push";
            }[];
        };
        Confirmation: {
            current_password?: string;
        };
        ConnectedModel: {
            chat: boolean;
            context_tokens: number | null;
            embedding: boolean;
            id: string;
            image_edit: boolean;
            rerank: boolean;
            speech: boolean;
            tools: boolean | null;
            transcription: boolean;
            vision: boolean | null;
        };
        Connection: {
            base_url: string;
            check: components["schemas"]["Check"];
            enabled: boolean;
            has_key: boolean;
            header_names: string[];
            id: string;
            is_environment: boolean;
            models: components["schemas"]["ConnectedModel"][];
            name: string;
        };
        Consent: {
            agreed: boolean;
            client_id?: string;
            code_challenge?: string;
            code_challenge_method?: string;
            redirect_uri?: string;
            resource?: string;
            response_type?: string;
            scope?: string;
            /** @default [] */
            scopes: ("read" | "chat" | "upload" | "agents")[];
            state?: string;
        };
        ConsentAnswer: {
            redirect_to: string;
        };
        ConsentQuestion: {
            client_host: string | null;
            client_name: string;
            redirect_uri: string;
            scopes: ("read" | "chat" | "upload" | "agents")[];
        };
        ContinuedShare: {
            /** Format: uuid */
            session_id: string;
        };
        CreateApiToken: {
            expires_at?: string | null;
            name: string;
            /**
             * @default [
             *       "read"
             *     ]
             */
            scopes: ("read" | "write" | "chat" | "upload" | "agents" | "admin")[];
        };
        CreatedHook: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            events: ("media.done" | "media.failed" | "reminder.due" | "chat.answered" | "automation.run")[];
            /** Format: uuid */
            id: string;
            last_delivery: components["schemas"]["HookDelivery"] | null;
            name: string;
            secret: string;
            url: string;
        };
        CreateFact: {
            /** @default person */
            source: string;
            text: string;
        };
        CreateHook: {
            events?: ("media.done" | "media.failed" | "reminder.due" | "chat.answered" | "automation.run")[];
            /** @default  */
            name: string;
            url: string;
        };
        CreateInvitation: {
            /** @default true */
            can_chat: boolean;
            /** @default false */
            can_upload: boolean;
            /** @default false */
            can_use_agents: boolean;
            /** @default false */
            can_use_voice: boolean;
            email: string;
            /** @default 7 */
            expires_in_days: number;
            full_name?: string | null;
            /**
             * @default user
             * @enum {string}
             */
            role: "admin" | "user" | "guest";
        };
        CreateNote: {
            text: string;
            title: string;
        };
        CreatePage: {
            /** @default false */
            again: boolean;
            url: string;
            /** @default 15 */
            wait: number;
        };
        CreatePasskey: {
            name: string;
            response: {
                authenticatorAttachment?: ("platform" | "cross-platform") | null;
                clientExtensionResults: {
                    [key: string]: unknown;
                };
                id: string;
                rawId: string;
                response: {
                    attestationObject: string;
                    authenticatorData?: string;
                    clientDataJSON: string;
                    publicKey?: string;
                    publicKeyAlgorithm?: number;
                    transports?: string[];
                };
                /** @constant */
                type: "public-key";
            };
            ticket: string;
        };
        CreatePersona: {
            description?: string;
            instructions?: string;
            limited?: boolean;
            media_ids?: string[];
            model?: string | null;
            name: string;
            picture?: string | null;
            starters?: string[];
            tools?: (("CalculatorAgent" | "WeatherAgent" | "NewsAgent" | "ReminderAgent" | "FileAgent" | "search_memory" | "remember" | "search_web" | "read_page" | "make_picture") | string)[] | null;
        };
        CreateProject: {
            instructions?: string;
            limited?: boolean;
            media_ids?: string[];
            model?: string | null;
            name: string;
            search?: string | null;
        };
        CreatePrompt: {
            command: string;
            text: string;
            title: string;
        };
        CreatePushSubscription: {
            endpoint: string;
            keys: {
                auth: string;
                p256dh: string;
            };
        };
        CreateReminder: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            due_at: string;
            recurrence?: components["schemas"]["Recurrence"] | null;
            text: string;
            time_zone?: string;
        };
        CreateShare: {
            expires_at?: string | null;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "conversation";
        };
        CreateUser: {
            /** @default true */
            can_chat: boolean;
            /** @default false */
            can_upload: boolean;
            /** @default false */
            can_use_agents: boolean;
            /** @default false */
            can_use_voice: boolean;
            email: string;
            full_name?: string | null;
            /** Format: password */
            password: string;
            /**
             * @default user
             * @enum {string}
             */
            role: "admin" | "user" | "guest";
            /** @default null */
            storage_limit_bytes: number | null;
            username: string;
        };
        DashboardHealth: {
            /** @enum {string} */
            agents: "online" | "warning" | "error";
            /** @enum {string} */
            ai_service: "online" | "warning" | "error";
            backup_warnings: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                at: string;
                reason: string;
                told: components["schemas"]["CodedSentence"][];
            }[];
            checked_at: string | null;
            failed_backup: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                at: string;
                reason: string;
                told: components["schemas"]["CodedSentence"][];
            } | null;
            last_backup: string | null;
            last_proven_restore: string | null;
            /** @enum {string} */
            media_processing: "online" | "warning" | "error";
            reasons: {
                [key: string]: string;
            };
            told: {
                [key: string]: components["schemas"]["CodedSentence"][];
            };
            uptime: number;
            /** @enum {string} */
            vector_store: "online" | "warning" | "error";
        };
        DeleteChatSessions: {
            ids: string[];
        };
        Deleted: {
            deleted: number;
        };
        DeleteData: {
            password: string;
        };
        DeletedData: {
            deleted: {
                activities: number;
                agent_runs: number;
                bytes: number;
                chat_sessions: number;
                effect_images: number;
                effect_recipes: number;
                facts: number;
                files: number;
                media_items: number;
                messages: number;
                moments: number;
                notifications: number;
                partial_uploads: number;
                prompts: number;
                reminders: number;
                weekly_summaries: number;
            };
        };
        EffectDefinition: {
            available: boolean;
            /** @enum {string} */
            category: "artistic" | "filter" | "stylized";
            description: string;
            name: string;
            requires_ai: boolean;
            unavailable_reason?: string;
            unavailable_told?: components["schemas"]["CodedSentence"][];
        };
        EffectResult: {
            download_id: string | null;
            effect_display_name: string;
            effect_name: string;
            error?: string;
            file_size_mb: number | null;
            processed_size: number[] | null;
            thumbnail: string | null;
            url: string | null;
        };
        EffectsAvailable: {
            categories: {
                [key: string]: ("oil_painting" | "watercolor" | "pencil_sketch" | "colored_pencil" | "charcoal" | "ink" | "pastel" | "stippling" | "mosaic" | "ai_restyle" | "black_and_white" | "sepia" | "vintage" | "film_grain" | "cool" | "warm" | "vivid" | "hdr" | "soft_glow" | "vignette" | "sharpen" | "blur" | "tilt_shift" | "duotone" | "pop_art" | "cartoon" | "comic_halftone" | "pixel_art" | "posterize" | "neon_edges" | "glitch" | "low_poly" | "stained_glass" | "emboss" | "thermal")[];
            };
            effects: {
                [key: string]: components["schemas"]["EffectDefinition"];
            };
        };
        EffectsGallery: {
            images: components["schemas"]["EffectsGalleryItem"][];
            next_cursor: string | null;
        };
        EffectsGalleryItem: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /** Format: uuid */
            download_id: string;
            effect_display_name: string;
            effect_name: string;
            /** @description Mebibytes, not rounded */
            file_size_mb: number;
            intensity: number;
            processed_size: number[];
            recipe: {
                /** @enum {string} */
                effect_name: "oil_painting" | "watercolor" | "pencil_sketch" | "colored_pencil" | "charcoal" | "ink" | "pastel" | "stippling" | "mosaic" | "ai_restyle" | "black_and_white" | "sepia" | "vintage" | "film_grain" | "cool" | "warm" | "vivid" | "hdr" | "soft_glow" | "vignette" | "sharpen" | "blur" | "tilt_shift" | "duotone" | "pop_art" | "cartoon" | "comic_halftone" | "pixel_art" | "posterize" | "neon_edges" | "glitch" | "low_poly" | "stained_glass" | "emboss" | "thermal";
                /** @default 1 */
                intensity: number;
            }[];
            source_filename: string;
            source_media_id: string | null;
            thumbnail: string;
            url: string;
        };
        EmbeddingProfile: {
            dimensions: number;
            engine: string;
            error: string | null;
            failed_items: number;
            filled: number;
            id: number;
            is_chosen: boolean;
            /** @enum {string} */
            kind: "text" | "image";
            model: string;
            per_minute: number | null;
            seconds_left: number | null;
            /** @enum {string} */
            state: "filling" | "active" | "old";
            total: number;
        };
        EmbeddingProfilesAnswer: {
            profiles: components["schemas"]["EmbeddingProfile"][];
        };
        EndAccess: {
            items: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                kind: "session" | "api_token" | "program" | "passkey" | "oidc" | "share" | "webhook" | "mcp_server" | "push";
            }[];
        };
        EngineChoice: {
            connection?: "environment" | string;
            /** @enum {string} */
            engine: "auto" | "remote" | "local" | "off";
            model: string | null;
        };
        EngineState: {
            check: components["schemas"]["Check"];
            choices: ("auto" | "remote" | "local" | "off")[];
            environment: {
                model: string | null;
                variable: string;
            } | null;
            remote_models: string[];
        };
        EngineTest: {
            /** @enum {string} */
            capability: "chat" | "vision" | "caption" | "embedding" | "image_embedding" | "rerank" | "ocr" | "transcription" | "speech" | "image_edit";
        };
        EngineTestAnswer: {
            detail: string;
            duration_ms: number;
            engine: string | null;
            model: string | null;
            ok: boolean;
            told: components["schemas"]["CodedSentence"][];
        };
        Error: {
            code: string;
            detail: string;
            errors?: {
                message: string;
                path: string;
            }[];
        };
        ExportTicket: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            expires_at: string;
            /** Format: uuid */
            export_id: string;
            url: string;
        };
        Fact: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /** Format: uuid */
            id: string;
            session: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            source: string;
            text: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at: string;
        };
        FactsAnswer: {
            facts: components["schemas"]["Fact"][];
            next_cursor: string | null;
            total: number;
        };
        Feedback: {
            rating: ("up" | "down") | null;
        };
        FileScrubbing: {
            checked: number;
            damaged: number;
            pass_finished: boolean;
            pass_started_at: string | null;
            repaired: number;
        };
        FilesData: {
            /** @enum {string} */
            action: "listed" | "found" | "counted";
            items: {
                /** Format: date-time */
                created_at: string;
                frame_number?: number;
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                media_type: "image" | "video" | "audio" | "document";
                page?: number;
                /** @enum {string} */
                page_kind?: "page" | "sheet" | "slide" | "chapter" | "message";
                page_title?: string;
                size_bytes: number | null;
                snippet: string | null;
                taken_local?: string;
                thumbnail: string | null;
                timestamp_seconds?: number;
                title: string;
                url: string;
            }[];
            /** @constant */
            kind: "files";
            totals?: {
                count: number;
                media_type: ("image" | "video" | "audio" | "document") | null;
                size_bytes: number;
            }[];
        };
        Health: {
            checks: {
                audit?: components["schemas"]["Check"];
                database: components["schemas"]["Check"];
                models: {
                    [key: string]: components["schemas"]["Check"];
                };
                parsers?: components["schemas"]["ParserCheck"];
                proxy?: components["schemas"]["Check"];
                queue: components["schemas"]["Check"];
                storage: components["schemas"]["Check"];
            };
            /** @enum {string} */
            status: "ok" | "degraded";
            version: string;
        };
        Hook: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            events: ("media.done" | "media.failed" | "reminder.due" | "chat.answered" | "automation.run")[];
            /** Format: uuid */
            id: string;
            last_delivery: components["schemas"]["HookDelivery"] | null;
            name: string;
            url: string;
        };
        HookDeliveriesAnswer: {
            deliveries: components["schemas"]["HookDelivery"][];
            next_cursor: string | null;
        };
        HookDelivery: {
            attempts: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            duration_ms: number | null;
            /** @enum {string} */
            event: "media.done" | "media.failed" | "reminder.due" | "chat.answered" | "automation.run" | "test";
            finished_at: string | null;
            /** Format: uuid */
            id: string;
            next_attempt_at: string | null;
            problem: ("address" | "private" | "unreachable" | "timeout" | "status" | "redirects" | "secret" | "backlog") | null;
            /** @enum {string} */
            state: "waiting" | "delivered" | "failed";
            status: number | null;
        };
        HooksAnswer: {
            hooks: components["schemas"]["Hook"][];
            next_cursor: string | null;
        };
        Import: {
            completed: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            earliest_at: string | null;
            error: string | null;
            failed: components["schemas"]["ImportFailure"][];
            finished_at: string | null;
            found: number;
            has_file: boolean;
            /** Format: uuid */
            id: string;
            imported: number;
            latest_at: string | null;
            name: string;
            preview: boolean;
            reading: {
                bytes: number;
                of_bytes: number;
            } | null;
            size_bytes: number | null;
            skipped: number;
            /** @enum {string} */
            source: "mira" | "chatgpt" | "claude" | "open-webui" | "librechat" | "takeout" | "apple" | "files" | "immich";
            /** @enum {string} */
            state: "queued" | "running" | "done" | "failed" | "cancelled" | "undoing";
            told: components["schemas"]["CodedSentence"][];
            unsearched: number;
        };
        ImportFailure: {
            name: string;
            reason: string;
            told: components["schemas"]["CodedSentence"][];
        };
        ImportsAnswer: {
            imports: components["schemas"]["Import"][];
            next_cursor: string | null;
        };
        ImportServer: {
            key: string;
            /** @default false */
            preview: boolean;
            /** @enum {string} */
            source: "immich";
            url: string;
        };
        ImportSource: {
            /** @enum {string} */
            source: "mira" | "chatgpt" | "claude" | "open-webui" | "librechat" | "takeout" | "apple" | "files";
        };
        Improve: {
            filter?: components["schemas"]["ImproveFilter"];
            ids?: string[];
            steps?: ("inspect" | "frames" | "pages" | "read" | "caption" | "transcribe" | "playback" | "embed" | "look")[];
        };
        ImproveAnswer: {
            done: number;
            is_running: boolean;
            total: number;
        };
        ImproveFilter: {
            /** @enum {string} */
            media_type?: "image" | "video" | "audio" | "document";
            query?: string;
            /** @enum {string} */
            status?: "pending" | "processing" | "completed" | "failed";
            tag?: string;
        };
        Instructions: {
            about_me: string;
            how_to_answer: string;
            uses_facts: boolean;
        };
        Invitation: {
            can_chat: boolean;
            can_upload: boolean;
            can_use_agents: boolean;
            can_use_voice: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            email: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            expires_at: string;
            full_name: string | null;
            /** Format: uuid */
            id: string;
            invited_by: string;
            /** @enum {string} */
            role: "admin" | "user" | "guest";
            /** @enum {string} */
            state: "open" | "accepted" | "revoked" | "expired";
            token?: string;
            url?: string;
        };
        InvitationLook: {
            email: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            expires_at: string;
            full_name: string | null;
            invited_by: string;
        };
        KnownAnswer: {
            known: {
                /** Format: uuid */
                id: string;
                sha256: string;
            }[];
        };
        KnownItem: {
            /** Format: uuid */
            media_id: string;
            media_type: string;
            title: string;
        };
        KnownQuestion: {
            sha256: string[];
        };
        Library: {
            media_items: components["schemas"]["MediaItem"][];
            next_cursor: string | null;
            total: number;
        };
        LocalModel: {
            /** @enum {string} */
            capability: "chat" | "vision" | "caption" | "embedding" | "image_embedding" | "rerank" | "ocr" | "transcription" | "speech" | "image_edit";
            downloaded_bytes: number;
            error: string | null;
            id: string;
            is_default: boolean;
            is_loaded: boolean;
            license: string;
            size_bytes: number | null;
            /** @enum {string} */
            state: "absent" | "downloading" | "ready" | "failed";
        };
        LocalModelsAnswer: {
            directory: string;
            is_enabled: boolean;
            models: components["schemas"]["LocalModel"][];
        };
        Login: {
            password: string;
            username: string;
        };
        LoginAnswer: {
            access_token: string;
            expires_in: number;
            /** @constant */
            token_type: "bearer";
        };
        LoginChallenge: {
            challenge: string;
            expires_in: number;
        };
        LookAtInvitation: {
            token: string;
        };
        ManyMediaChanges: {
            ids: string[];
            latitude?: number | null;
            longitude?: number | null;
            shift_seconds?: number;
            tags?: string[];
            taken_at?: string | null;
        };
        McpServer: {
            arguments: string[];
            /** @enum {string} */
            audience: "everyone" | "admins" | "chosen";
            check: components["schemas"]["Check"];
            checked_at: string | null;
            command: string | null;
            enabled: boolean;
            has_key: boolean;
            header_names: string[];
            /** Format: uuid */
            id: string;
            name: string;
            tools: components["schemas"]["McpTool"][];
            /** @enum {string} */
            transport: "http" | "stdio";
            url: string | null;
            user_ids: string[];
        };
        McpServersAnswer: {
            servers: components["schemas"]["McpServer"][];
            stdio_allowed: boolean;
        };
        McpTool: {
            description: string;
            name: string;
            read_only: boolean;
            /** @enum {string} */
            rule: "allow" | "ask" | "off";
            title: string;
        };
        Me: {
            can_chat: boolean;
            can_upload: boolean;
            can_use_agents: boolean;
            can_use_voice: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            email: string;
            full_name: string | null;
            has_password: boolean;
            /** Format: uuid */
            id: string;
            is_active: boolean;
            last_active_at: string | null;
            must_change_password: boolean;
            preferences: components["schemas"]["Preferences"];
            /** @enum {string} */
            role: "admin" | "user" | "guest";
            trash?: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                since: string;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                until: string;
            };
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at: string;
            username: string;
        };
        MediaArchive: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            expires_at: string;
            items: number;
            size_bytes: number;
            url: string;
        };
        MediaArchiveRequest: {
            ids: string[];
        };
        MediaChanges: {
            caption?: string | null;
            extracted_text?: string | null;
            latitude?: number | null;
            longitude?: number | null;
            pages?: {
                page: number;
                text: string | null;
            }[];
            segments?: {
                /** Format: uuid */
                id: string;
                text: string | null;
            }[];
            tags?: string[];
            taken_at?: string | null;
        };
        MediaDetail: {
            caption: string | null;
            chapters: {
                end: number;
                frame_number: number | null;
                /** @enum {string} */
                from: "speech" | "text" | "caption";
                start: number;
                title: string;
            }[];
            content: string | null;
            duration: number | null;
            engines: {
                [key: string]: {
                    engine: string;
                    model: string | null;
                };
            };
            error: string | null;
            error_told?: components["schemas"]["CodedSentence"][];
            extracted_text: string | null;
            frames: {
                caption: string | null;
                extracted_text: string | null;
                frame_number: number;
                thumbnail: string;
                timestamp_seconds: number;
            }[];
            frames_count: number;
            /** Format: uuid */
            id: string;
            locked: ("caption" | "extracted_text")[];
            /** @enum {string} */
            media_type: "image" | "video" | "audio" | "document";
            metadata: {
                camera: string | null;
                content_type: string;
                corrected: ("taken_at" | "place")[];
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                created_at: string;
                details: {
                    [key: string]: string | number | boolean;
                };
                height: number | null;
                latitude: number | null;
                longitude: number | null;
                original_filename: string;
                pages: number | null;
                sha256: string;
                size_bytes: number;
                source: {
                    /** @enum {string} */
                    kind: "note" | "page";
                    title: string | null;
                    url: string | null;
                } | null;
                taken_at: string | null;
                taken_local: string | null;
                width: number | null;
            };
            moments_by_engine: {
                [key: string]: number;
            };
            motion?: {
                film_url: string | null;
                url: string;
            };
            pages: {
                height: number | null;
                is_locked: boolean;
                page: number;
                text: string;
                thumbnail: string | null;
                title: string | null;
                width: number | null;
            }[];
            preview_url: string | null;
            /** @enum {string} */
            processing_status: "pending" | "processing" | "completed" | "failed";
            processing_steps: components["schemas"]["ProcessingStep"][];
            queue_position?: number;
            segments: {
                end: number;
                /** Format: uuid */
                id: string;
                is_locked: boolean;
                start: number;
                text: string;
            }[];
            source_gone_at: string | null;
            suggested_tags: string[];
            tags: string[];
            thumbhash: string | null;
            thumbnail: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            timestamp: string;
            transcription: string | null;
            trash?: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                since: string;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                until: string;
            };
            url: string;
            waveform: number[];
            words: components["schemas"]["ReadWord"][];
        };
        MediaIds: {
            ids: string[];
        };
        MediaItem: {
            caption: string | null;
            content: string | null;
            duration: number | null;
            engines: {
                [key: string]: {
                    engine: string;
                    model: string | null;
                };
            };
            error: string | null;
            error_told?: components["schemas"]["CodedSentence"][];
            extracted_text: string | null;
            frames_count: number;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            media_type: "image" | "video" | "audio" | "document";
            metadata: {
                camera: string | null;
                content_type: string;
                corrected: ("taken_at" | "place")[];
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                created_at: string;
                details: {
                    [key: string]: string | number | boolean;
                };
                height: number | null;
                latitude: number | null;
                longitude: number | null;
                original_filename: string;
                pages: number | null;
                sha256: string;
                size_bytes: number;
                source: {
                    /** @enum {string} */
                    kind: "note" | "page";
                    title: string | null;
                    url: string | null;
                } | null;
                taken_at: string | null;
                taken_local: string | null;
                width: number | null;
            };
            motion?: {
                film_url: string | null;
                url: string;
            };
            preview_url: string | null;
            /** @enum {string} */
            processing_status: "pending" | "processing" | "completed" | "failed";
            processing_steps: components["schemas"]["ProcessingStep"][];
            queue_position?: number;
            tags: string[];
            thumbhash: string | null;
            thumbnail: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            timestamp: string;
            transcription: string | null;
            trash?: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                since: string;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                until: string;
            };
            url: string;
            waveform?: number[];
        };
        MediaStats: {
            by_type: {
                audio: number;
                document: number;
                image: number;
                video: number;
            };
            failed: number;
            processing: number;
            total_bytes: number;
            total_items: number;
        };
        MediaTagChanges: {
            /** @default [] */
            add: string[];
            ids: string[];
            /** @default [] */
            remove: string[];
        };
        MediaTags: {
            tags: {
                count: number;
                tag: string;
            }[];
        };
        MemoryLogEntry: {
            action: string;
            agent_used: string | null;
            captions: string[] | null;
            complexity: ("low" | "medium" | "high") | null;
            content: string | null;
            content_type: ("conversation" | "image" | "video" | "audio" | "document" | "search" | "calculation") | null;
            duration: number | null;
            extracted_text: string | null;
            /** Format: uuid */
            id: string;
            key_frames: number | null;
            link: string | null;
            media_count: number | null;
            /** @enum {string} */
            outcome: "completed" | "failed" | "interrupted";
            processing_time: number | null;
            response: string | null;
            results_count: number | null;
            search_terms: string[] | null;
            sentiment: ("positive" | "neutral" | "negative") | null;
            session_id: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            timestamp: string;
            tokens: number | null;
            transcription: string | null;
            /** @enum {string} */
            type: "chat" | "media" | "memory_search" | "agent";
        };
        MemoryLogsAnswer: {
            entries: components["schemas"]["MemoryLogEntry"][];
            next_cursor: string | null;
            stats: {
                avg_response_time: number | null;
                memory_size: number;
                search_accuracy: number | null;
                total_interactions: number;
            };
            total: number;
        };
        Mention: {
            id: string | null;
            /** @enum {string} */
            kind: "agent" | "tool" | "project" | "tag";
            name: string;
        };
        MentionRequest: {
            /** @constant */
            kind: "agent";
            /** @enum {string} */
            name: "CalculatorAgent" | "WeatherAgent" | "NewsAgent" | "ReminderAgent" | "FileAgent";
        } | {
            /** @constant */
            kind: "tool";
            name: string;
        } | {
            /** Format: uuid */
            id: string;
            /** @constant */
            kind: "project";
        } | {
            /** @constant */
            kind: "tag";
            name: string;
        };
        NewConnection: {
            api_key?: string | null;
            base_url: string;
            /** @default true */
            enabled: boolean;
            headers?: {
                [key: string]: string;
            } | null;
            name: string;
        };
        NewMcpServer: {
            api_key?: string | null;
            /** @default [] */
            arguments: string[];
            /**
             * @default admins
             * @enum {string}
             */
            audience: "everyone" | "admins" | "chosen";
            command?: string;
            current_password?: string;
            /** @default true */
            enabled: boolean;
            headers?: {
                [key: string]: string;
            } | null;
            name: string;
            /** @default {} */
            tool_rules: {
                [key: string]: "allow" | "ask" | "off";
            };
            url?: string;
            /** @default [] */
            user_ids: string[];
        };
        NewOwnMcpServer: {
            api_key?: string | null;
            /** @default true */
            enabled: boolean;
            headers?: {
                [key: string]: string;
            } | null;
            name: string;
            /** @default {} */
            tool_rules: {
                [key: string]: "allow" | "ask" | "off";
            };
            url: string;
        };
        NewRecipe: {
            name: string;
            steps: {
                /** @enum {string} */
                effect_name: "oil_painting" | "watercolor" | "pencil_sketch" | "colored_pencil" | "charcoal" | "ink" | "pastel" | "stippling" | "mosaic" | "ai_restyle" | "black_and_white" | "sepia" | "vintage" | "film_grain" | "cool" | "warm" | "vivid" | "hdr" | "soft_glow" | "vignette" | "sharpen" | "blur" | "tilt_shift" | "duotone" | "pop_art" | "cartoon" | "comic_halftone" | "pixel_art" | "posterize" | "neon_edges" | "glitch" | "low_poly" | "stained_glass" | "emboss" | "thermal";
                /** @default 1 */
                intensity: number;
            }[];
        };
        NewsData: {
            failed_feeds: {
                reason: string;
                source: string;
            }[];
            /** Format: date-time */
            fetched_at: string;
            is_stale: boolean;
            items: {
                published_at: string | null;
                source: string;
                summary: string | null;
                title: string;
                url: string | null;
            }[];
            /** @constant */
            kind: "news";
            topic: string | null;
        };
        NewsFeed: {
            /** @enum {string} */
            language: "en" | "es" | "fr" | "de";
            title: string;
            /** Format: uri */
            url: string;
        };
        NewWatchedFolder: {
            /** @default true */
            enabled: boolean;
            path: string;
            /** Format: uuid */
            user_id: string;
        };
        Note: {
            /** Format: uuid */
            id: string;
            text: string;
            title: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at: string;
        };
        NoteChanges: {
            text?: string;
            title?: string;
        };
        Notification: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "media_done" | "media_failed" | "reminder_due" | "automation_done" | "automation_failed" | "summary_ready" | "export_done" | "backup_done" | "backup_failed" | "backup_unproven" | "files_damaged" | "offsite_failed" | "model_ready" | "model_failed" | "access_added" | "access_suspended" | "instance_restored";
            link: string | null;
            params: {
                [key: string]: string | number;
            };
            read_at: string | null;
            told: components["schemas"]["CodedSentence"][];
        };
        NotificationsAnswer: {
            next_cursor: string | null;
            notifications: components["schemas"]["Notification"][];
            unread_count: number;
        };
        NotificationsRead: {
            ids?: string[];
        };
        NotificationsShown: {
            /** Format: uuid */
            subject_id?: string;
        };
        NotificationsShownAnswer: {
            notifications: components["schemas"]["Notification"][];
        };
        OffsiteState: {
            address: string;
            failed: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                at: string;
                reason: string;
                told: components["schemas"]["CodedSentence"][];
            } | null;
            last_at: string | null;
        };
        OffsiteTest: {
            address: string;
        };
        OffsiteTestAnswer: {
            detail: string;
            ok: boolean;
            snapshots: number;
        };
        OidcFinish: {
            query: string;
            ticket: string;
        };
        OidcStart: {
            ticket: string;
            url: string;
        };
        Ollama: {
            models: {
                name: string;
                size_bytes: number;
            }[];
            version: string | null;
        };
        OllamaModel: {
            model: string;
        };
        OllamaPullEvent: {
            completed_bytes: number;
            /** @constant */
            state: "pulling";
            total_bytes: number;
        } | {
            /** @constant */
            state: "done";
        } | {
            detail: string;
            /** @constant */
            state: "failed";
        };
        Overview: {
            agent_calls: number;
            change: {
                agent_calls: number | null;
                chat_sessions: number | null;
                efficiency: number | null;
                media_items: number | null;
            };
            chat_sessions: number;
            efficiency: number | null;
            media_items: number;
        };
        OwnMcpServersAnswer: {
            allowed: boolean;
            servers: components["schemas"]["McpServer"][];
        };
        ParserCheck: {
            /** Format: date-time */
            checked_at?: string;
            engine?: string;
            model?: string;
            reaches: {
                files: boolean;
                network: boolean;
                secrets: boolean;
            } | null;
            reason?: string;
            /** @enum {string} */
            state: "ok" | "off" | "error";
            told?: components["schemas"]["CodedSentence"][];
        };
        PartialUpload: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            expires_at: string;
            fingerprint: string;
            /** Format: uuid */
            id: string;
            import_source: ("mira" | "chatgpt" | "claude" | "open-webui" | "librechat" | "takeout" | "apple" | "files") | null;
            offset_bytes: number;
            original_filename: string;
            size_bytes: number;
        };
        PartialUploads: {
            uploads: components["schemas"]["PartialUpload"][];
        };
        PartialUploadState: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            expires_at: string;
            fingerprint: string;
            /** Format: uuid */
            id: string;
            import_id: string | null;
            import_source: ("mira" | "chatgpt" | "claude" | "open-webui" | "librechat" | "takeout" | "apple" | "files") | null;
            is_duplicate: boolean;
            media_item: components["schemas"]["MediaItem"] | null;
            offset_bytes: number;
            original_filename: string;
            size_bytes: number;
        };
        Passkey: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            host: string;
            /** Format: uuid */
            id: string;
            is_backed_up: boolean;
            last_used_at: string | null;
            name: string;
        };
        PasskeyOptions: {
            options: {
                [key: string]: unknown;
            };
            ticket: string;
        };
        PasskeySignIn: {
            response: {
                authenticatorAttachment?: ("platform" | "cross-platform") | null;
                clientExtensionResults: {
                    [key: string]: unknown;
                };
                id: string;
                rawId: string;
                response: {
                    authenticatorData: string;
                    clientDataJSON: string;
                    signature: string;
                    userHandle?: string | null;
                };
                /** @constant */
                type: "public-key";
            };
            ticket: string;
        };
        Persona: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            description: string;
            /** Format: uuid */
            id: string;
            instructions: string;
            items: components["schemas"]["KnownItem"][];
            limited: boolean;
            model: string | null;
            name: string;
            own: boolean;
            picture: string | null;
            shared: boolean;
            starters: string[];
            tools: string[] | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at: string;
        };
        PersonasAnswer: {
            next_cursor: string | null;
            personas: components["schemas"]["Persona"][];
        };
        PersonaTools: {
            tools: string[];
        };
        Preferences: {
            hides_first_steps: boolean;
            keeps_places: boolean;
            language: ("en" | "es" | "fr" | "de") | null;
            model: string | null;
            shares_answers: boolean;
            theme: ("light" | "dark" | "system") | null;
            time_zone: string | null;
        };
        PreviewsAnswer: {
            previews: {
                [key: string]: string;
            };
        };
        ProcessingStep: {
            engine: string | null;
            error: string | null;
            error_told?: components["schemas"]["CodedSentence"][];
            /** @enum {string} */
            name: "inspect" | "frames" | "pages" | "read" | "caption" | "transcribe" | "playback" | "embed" | "look";
            progress: number;
            /** @enum {string} */
            status: "pending" | "processing" | "completed" | "skipped" | "failed";
        };
        Program: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /** Format: uuid */
            id: string;
            last_used_at: string | null;
            name: string;
            redirect_uri: string;
            scopes: ("read" | "chat" | "upload" | "agents")[];
        };
        ProgramsAnswer: {
            next_cursor: string | null;
            programs: components["schemas"]["Program"][];
        };
        Project: {
            conversation_count: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /** Format: uuid */
            id: string;
            instructions: string;
            items: components["schemas"]["KnownItem"][];
            limited: boolean;
            model: string | null;
            name: string;
            search: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at: string;
        };
        ProjectsAnswer: {
            next_cursor: string | null;
            projects: components["schemas"]["Project"][];
        };
        Prompt: {
            command: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /** Format: uuid */
            id: string;
            text: string;
            title: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at: string;
            variables: string[];
        };
        PromptsAnswer: {
            next_cursor: string | null;
            prompts: components["schemas"]["Prompt"][];
        };
        PublicShare: {
            assistant_name: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            expires_at: string | null;
            /** @enum {string} */
            kind: "conversation";
            messages: components["schemas"]["SharedMessage"][];
            previous_cursor: string | null;
            title: string;
        };
        PushKey: {
            public_key: string;
        };
        PushSubscription: {
            /** Format: uuid */
            id: string;
        };
        ReadWord: {
            box: number[];
            confidence: number | null;
            text: string;
        };
        Recipe: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /** Format: uuid */
            id: string;
            name: string;
            steps: {
                /** @enum {string} */
                effect_name: "oil_painting" | "watercolor" | "pencil_sketch" | "colored_pencil" | "charcoal" | "ink" | "pastel" | "stippling" | "mosaic" | "ai_restyle" | "black_and_white" | "sepia" | "vintage" | "film_grain" | "cool" | "warm" | "vivid" | "hdr" | "soft_glow" | "vignette" | "sharpen" | "blur" | "tilt_shift" | "duotone" | "pop_art" | "cartoon" | "comic_halftone" | "pixel_art" | "posterize" | "neon_edges" | "glitch" | "low_poly" | "stained_glass" | "emboss" | "thermal";
                /** @default 1 */
                intensity: number;
            }[];
        };
        Recipes: {
            recipes: components["schemas"]["Recipe"][];
        };
        RecoveryCodes: {
            recovery_codes: string[];
        };
        Recurrence: {
            every: number;
            time?: string;
            /** @enum {string} */
            unit: "minute" | "hour" | "day" | "week" | "month" | "year";
            weekdays?: number[];
        };
        Regenerate: {
            beside?: boolean;
            /** Format: uuid */
            message_id: string;
            model?: string | null;
        };
        Reminder: {
            completed_at: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            due_at: string;
            fired_at: string | null;
            /** Format: uuid */
            id: string;
            recurrence: components["schemas"]["Recurrence"] | null;
            /** @enum {string} */
            state: "active" | "completed";
            text: string;
            time_zone: string;
        };
        RemindersAnswer: {
            next_cursor: string | null;
            reminders: components["schemas"]["Reminder"][];
        };
        RemindersData: {
            /** @enum {string} */
            action: "created" | "listed" | "snoozed" | "completed" | "deleted" | "changed";
            /** @constant */
            kind: "reminders";
            reminders: {
                /** Format: date-time */
                due_at: string;
                /** Format: uuid */
                id: string;
                recurrence: string | null;
                /** @enum {string} */
                state: "active" | "completed";
                text: string;
                time_zone?: string;
            }[];
        };
        RemovePushSubscription: {
            endpoint: string;
        };
        RenamePasskey: {
            name: string;
        };
        Reprocess: {
            steps?: ("inspect" | "frames" | "pages" | "read" | "caption" | "transcribe" | "playback" | "embed" | "look")[];
        };
        ResultOpened: {
            /** Format: uuid */
            result_id: string;
            /** Format: uuid */
            search_id: string;
        };
        SearchAnswer: {
            is_listing?: boolean;
            /** @enum {string} */
            mode: "semantic" | "words";
            mode_reason?: string;
            /** @enum {string} */
            mode_reason_code?: "no_embedding_engine" | "embedding_engine_failed" | "embedding_model_changed" | "nothing_embedded";
            results: components["schemas"]["SearchResult"][];
            /** Format: uuid */
            search_id: string;
            took_ms: number;
            understood?: components["schemas"]["UnderstoodQuery"];
        };
        SearchResult: {
            box: number[] | null;
            caption: string | null;
            /** @enum {string} */
            certainty?: "found" | "perhaps";
            content: string;
            duration: number | null;
            extracted_text: string | null;
            /** @enum {string} */
            found_in: "caption" | "text" | "speech" | "name" | "picture";
            frame_number: number | null;
            highlights: number[][];
            /** Format: uuid */
            id: string;
            is_guess?: boolean;
            is_named?: boolean;
            is_video_frame: boolean;
            /** @enum {string} */
            matched: "words" | "meaning" | "looks";
            /** Format: uuid */
            media_id: string;
            /** @enum {string} */
            media_type: "image" | "video" | "audio" | "document";
            original_filename: string;
            page: number | null;
            /** @enum {string} */
            page_kind?: "page" | "sheet" | "slide" | "chapter" | "message";
            page_title?: string;
            similarity_score: number;
            taken_local: string | null;
            thumbnail: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            timestamp: string;
            timestamp_seconds: number | null;
            url: string;
        };
        Share: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            expires_at: string | null;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "conversation";
            /** Format: uuid */
            subject_id: string;
            title: string;
            token: string;
            url: string;
        };
        SharedMessage: {
            content: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /** Format: uuid */
            id: string;
            images: {
                height: number;
                name: string;
                thumbnail: string;
                url: string;
                width: number;
            }[];
            model_used: string | null;
            /** @enum {string} */
            role: "user" | "assistant";
            sources: {
                n: number;
                title: string;
            }[];
        };
        SharesAnswer: {
            next_cursor: string | null;
            shares: components["schemas"]["Share"][];
        };
        SignInWays: {
            oidc: {
                name: string;
            } | null;
            passkeys: boolean;
            password: boolean;
        };
        SnoozeReminder: {
            minutes: number;
        };
        Source: {
            frame_number?: number;
            media_id: string | null;
            media_type: string;
            /** Format: uuid */
            message_id?: string;
            n: number;
            page?: number;
            /** @enum {string} */
            page_kind?: "page" | "sheet" | "slide" | "chapter" | "message";
            page_title?: string;
            /** Format: uuid */
            session_id?: string;
            snippet: string;
            thumbnail: string | null;
            timestamp_seconds?: number;
            title: string;
            url: string;
        };
        Speak: {
            text: string;
            voice?: string;
        };
        StorageUse: {
            default_limit_bytes: number | null;
            limit_bytes: number | null;
            own_limit_bytes: number | null;
            used_bytes: number;
        };
        SummariesAnswer: {
            summaries: components["schemas"]["WeeklySummary"][];
        };
        SummaryFigure: {
            link: string;
            name: string;
            previous: number;
            value: number;
        };
        SystemOverview: {
            api_calls: number;
            checks: {
                audit?: components["schemas"]["Check"];
                database: components["schemas"]["Check"];
                parsers?: components["schemas"]["ParserCheck"];
                proxy?: components["schemas"]["Check"];
                queue: components["schemas"]["Check"];
                storage: components["schemas"]["Check"];
            };
            database_bytes: number;
            disk: {
                total_bytes: number;
                used_bytes: number;
            } | null;
            engines: {
                [key: string]: components["schemas"]["Check"];
            };
            error_rate: number | null;
            event_loop_delay_ms: {
                mean: number;
                p99: number;
            };
            known_items: {
                asked: number;
                found: number;
                meaning: {
                    asked: number;
                    found: number;
                } | null;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                measured_at: string;
                words: {
                    asked: number;
                    found: number;
                };
            } | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            measured_at: string;
            memory: {
                total_bytes: number;
                used_bytes: number;
            };
            queues: {
                active: number;
                failed: number;
                name: string;
                waiting: number;
            }[];
            series: components["schemas"]["SystemPoint"][];
            servers: {
                cpu_share: number;
                event_loop_delay_p99_ms: number;
                is_this: boolean;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                last_sample_at: string;
                memory_bytes: number;
                request_errors: number;
                requests: number;
                /** Format: uuid */
                server_id: string;
            }[];
            sessions: {
                chat: number;
                signed_in: number;
            };
            storage_bytes: number;
            uptime: number;
            versions: {
                mira: string;
                node: string;
                pgvector: string | null;
                platform: string;
                postgresql: string;
            };
        };
        SystemPoint: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            at: string;
            cpu_share: number | null;
            database_bytes: number | null;
            event_loop_delay_p99_ms: number | null;
            memory_bytes: number | null;
            request_errors: number | null;
            requests: number | null;
            storage_bytes: number | null;
        };
        TotpConfirm: {
            code: string;
        };
        TotpDraft: {
            secret: string;
            uri: string;
        };
        TotpSignIn: {
            challenge: string;
            code: string;
        };
        TotpState: {
            enabled: boolean;
            recovery_codes_left: number;
        };
        Transcript: {
            duration: number;
            /** @enum {string} */
            engine: "remote" | "local";
            language: string | null;
            model: string | null;
            text: string;
        };
        TriggerAnswer: {
            /** Format: uuid */
            run_id: string;
        };
        TriggerTask: {
            reason?: string;
            /** @enum {string} */
            task_type: "memory_update" | "classifier_retrain" | "summary_generation" | "model_finetuning";
        };
        UnderstoodPhrase: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            from?: string;
            /** @enum {string} */
            kind: "time" | "type";
            media_types?: ("image" | "video" | "audio" | "document")[];
            text: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            to?: string;
        };
        UnderstoodQuery: {
            corrections?: {
                from: string;
                to: string;
            }[];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            from?: string;
            media_types?: ("image" | "video" | "audio" | "document")[];
            phrases: components["schemas"]["UnderstoodPhrase"][];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            to?: string;
            words: string;
        };
        UpdateChatSession: {
            archived?: boolean;
            /** Format: uuid */
            current_message_id?: string;
            model?: string | null;
            parameters?: components["schemas"]["ChatParameters"] | null;
            persona_id?: string | null;
            pinned?: boolean;
            project_id?: string | null;
            session_name?: string;
            /** @enum {string} */
            status?: "active" | "completed";
            tags?: string[];
        };
        UpdateConnection: {
            api_key?: string | null;
            base_url?: string;
            enabled?: boolean;
            headers?: {
                [key: string]: string;
            } | null;
            name?: string;
        };
        UpdateFact: {
            source?: string;
            text?: string;
        };
        UpdateInstructions: {
            about_me?: string;
            how_to_answer?: string;
            uses_facts?: boolean;
        };
        UpdateMcpServer: {
            api_key?: string | null;
            arguments?: string[];
            /** @enum {string} */
            audience?: "everyone" | "admins" | "chosen";
            command?: string;
            current_password?: string;
            enabled?: boolean;
            headers?: {
                [key: string]: string;
            } | null;
            name?: string;
            tool_rules?: {
                [key: string]: "allow" | "ask" | "off";
            };
            url?: string;
            user_ids?: string[];
        };
        UpdateOwnMcpServer: {
            api_key?: string | null;
            enabled?: boolean;
            headers?: {
                [key: string]: string;
            } | null;
            name?: string;
            tool_rules?: {
                [key: string]: "allow" | "ask" | "off";
            };
            url?: string;
        };
        UpdatePersona: {
            description?: string;
            instructions?: string;
            limited?: boolean;
            media_ids?: string[];
            model?: string | null;
            name?: string;
            picture?: string | null;
            starters?: string[];
            tools?: (("CalculatorAgent" | "WeatherAgent" | "NewsAgent" | "ReminderAgent" | "FileAgent" | "search_memory" | "remember" | "search_web" | "read_page" | "make_picture") | string)[] | null;
        };
        UpdatePreferences: {
            hides_first_steps?: boolean;
            keeps_places?: boolean;
            language?: ("en" | "es" | "fr" | "de") | null;
            model?: string | null;
            shares_answers?: boolean;
            theme?: ("light" | "dark" | "system") | null;
            time_zone?: string | null;
        };
        UpdateProject: {
            instructions?: string;
            limited?: boolean;
            media_ids?: string[];
            model?: string | null;
            name?: string;
            search?: string | null;
        };
        UpdatePrompt: {
            command?: string;
            text?: string;
            title?: string;
        };
        UpdateReminder: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            due_at?: string;
            recurrence?: components["schemas"]["Recurrence"] | null;
            text?: string;
            time_zone?: string;
        };
        UpdateTask: {
            is_enabled?: boolean;
            schedule?: string | null;
            time_zone?: string;
        };
        UpdateUser: {
            can_chat: boolean;
            can_upload: boolean;
            can_use_agents: boolean;
            can_use_voice: boolean;
            current_password?: string;
            email: string;
            full_name?: string | null;
            is_active: boolean;
            /** Format: password */
            password?: string;
            /** @enum {string} */
            role: "admin" | "user" | "guest";
            storage_limit_bytes?: number | null;
            username: string;
        };
        UpdateWatchedFolder: {
            enabled: boolean;
        };
        UpdateWebSettings: {
            allowed: boolean;
            api_key?: string | null;
            base_url?: string | null;
            provider: ("searxng" | "brave" | "tavily") | null;
        };
        Usage: {
            input_tokens: number;
            output_tokens: number;
        };
        User: {
            can_chat: boolean;
            can_upload: boolean;
            can_use_agents: boolean;
            can_use_voice: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            email: string;
            full_name: string | null;
            /** Format: uuid */
            id: string;
            is_active: boolean;
            last_active_at: string | null;
            /** @enum {string} */
            role: "admin" | "user" | "guest";
            trash?: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                since: string;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                until: string;
            };
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at: string;
            username: string;
        };
        UserEvent: {
            /** @default false */
            answering: boolean;
            /** @default false */
            deleted: boolean;
            /** Format: uuid */
            session_id: string;
            /** @constant */
            type: "chat.updated";
        } | {
            /** Format: uuid */
            id: string;
            steps: components["schemas"]["ProcessingStep"][];
            /** @constant */
            type: "media.progress";
        } | {
            /** Format: uuid */
            id: string;
            /** @constant */
            type: "media.done";
        } | {
            error: string;
            error_told?: components["schemas"]["CodedSentence"][];
            /** Format: uuid */
            id: string;
            /** @constant */
            type: "media.failed";
        } | {
            done: number;
            effect_name: string;
            progress: number;
            /** Format: uuid */
            request_id: string;
            total: number;
            /** @constant */
            type: "effect.progress";
        } | {
            /** @default false */
            deleted: boolean;
            ids: string[];
            /** @constant */
            type: "media.updated";
        } | {
            /** Format: date-time */
            due_at: string;
            /** Format: uuid */
            id: string;
            text: string;
            /** @constant */
            type: "reminder.due";
        } | {
            notification: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                kind: "media_done" | "media_failed" | "reminder_due" | "automation_done" | "automation_failed" | "summary_ready" | "export_done" | "backup_done" | "backup_failed" | "backup_unproven" | "files_damaged" | "offsite_failed" | "model_ready" | "model_failed" | "access_added" | "access_suspended" | "instance_restored";
                link: string | null;
                params: {
                    [key: string]: string | number;
                };
            };
            /** @constant */
            type: "notification";
        } | {
            /** @constant */
            type: "notifications.read";
        } | {
            /** Format: uuid */
            id: string;
            status: string;
            task_type: string;
            /** @constant */
            type: "automation.run";
        } | {
            model: components["schemas"]["LocalModel"];
            /** @constant */
            type: "model.progress";
        } | {
            done: number;
            /** Format: uuid */
            export_id: string;
            is_finished: boolean;
            total: number;
            /** @constant */
            type: "export.progress";
        } | {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            state: "queued" | "running" | "done" | "failed" | "cancelled" | "undoing";
            /** @constant */
            type: "import.progress";
        } | {
            /** @enum {string} */
            kind: "agent" | "search";
            /** @constant */
            type: "activity.recorded";
        } | {
            /** @constant */
            type: "account.updated";
        };
        UserSignIn: {
            has_password: boolean;
            must_change_password: boolean;
            oidc: boolean;
            passkeys: number;
            totp: boolean;
        };
        WatchedFile: {
            gone_at: string | null;
            /** Format: uuid */
            id: string;
            media_id: string | null;
            path: string;
            problem: string | null;
            /** @enum {string} */
            state: "kept" | "failed" | "gone";
        };
        WatchedFilesAnswer: {
            files: components["schemas"]["WatchedFile"][];
            next_cursor: string | null;
        };
        WatchedFolder: {
            enabled: boolean;
            failed: number;
            gone: number;
            /** Format: uuid */
            id: string;
            kept: number;
            path: string;
            problem: string | null;
            problem_told?: components["schemas"]["CodedSentence"][];
            scanned_at: string | null;
            scanning: boolean;
            seen: number;
            /** Format: uuid */
            user_id: string;
            username: string;
        };
        WatchedFoldersAnswer: {
            folders: components["schemas"]["WatchedFolder"][];
            root: string | null;
        };
        WeatherData: {
            asked_day: string | null;
            country: string | null;
            current: {
                apparent_c: number | null;
                code: number;
                description: string;
                humidity_percent: number | null;
                /** Format: date-time */
                observed_at: string;
                precipitation_mm: number | null;
                temperature_c: number;
                wind_kmh: number | null;
            };
            days: {
                code: number;
                /** Format: date */
                date: string;
                description: string;
                max_c: number;
                min_c: number;
                precipitation_mm: number | null;
                precipitation_percent: number | null;
                wind_kmh: number | null;
            }[];
            /** Format: date-time */
            fetched_at: string;
            is_stale: boolean;
            /** @constant */
            kind: "weather";
            place: string;
            region: string | null;
            time_zone: string;
        };
        WebSettings: {
            allowed: boolean;
            base_url: string | null;
            check: components["schemas"]["Check"];
            has_key: boolean;
            provider: ("searxng" | "brave" | "tavily") | null;
        };
        WebState: {
            allowed: boolean;
            search: boolean;
        };
        WeeklySummary: {
            engine: string;
            figures: components["schemas"]["SummaryFigure"][];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            generated_at: string;
            highlights: {
                /** @enum {string} */
                kind: "asked" | "added" | "found";
                link: string;
                title: string;
            }[];
            /** Format: uuid */
            id: string;
            insights: {
                key_insights: string[];
            };
            is_so_far: boolean;
            success_rate: number | null;
            summary_text: string;
            total_messages: number;
            total_sessions: number;
            total_users_active: number;
            /** Format: date */
            week_start: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAdminAudit: {
        parameters: {
            query?: {
                action?: string;
                cursor?: string;
                /** @description ISO 8601, UTC */
                from?: string;
                limit?: number;
                outcome?: "done" | "begun" | "failed";
                query?: string;
                /** @description ISO 8601, UTC */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditAnswer"];
                };
            };
        };
    };
    getAdminAuditExport: {
        parameters: {
            query?: {
                action?: string;
                /** @description ISO 8601, UTC */
                from?: string;
                outcome?: "done" | "begun" | "failed";
                query?: string;
                /** @description ISO 8601, UTC */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    getAdminBackups: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsAnswer"];
                };
            };
        };
    };
    postAdminBackups: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backup"];
                };
            };
        };
    };
    deleteAdminBackupsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getAdminBackupsIdFile: {
        parameters: {
            query?: {
                signature?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": string;
                };
            };
        };
    };
    postAdminBackupsIdProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postAdminBackupsIdTicket: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupTicket"];
                };
            };
        };
    };
    postAdminBackupsOffsiteTest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OffsiteTest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OffsiteTestAnswer"];
                };
            };
        };
    };
    getAdminConnections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"][];
                };
            };
        };
    };
    postAdminConnections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewConnection"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
        };
    };
    deleteAdminConnectionsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: "environment" | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchAdminConnectionsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: "environment" | string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateConnection"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
        };
    };
    getAdminConnectionsIdOllama: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: "environment" | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ollama"];
                };
            };
        };
    };
    postAdminConnectionsIdOllamaPull: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: "environment" | string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OllamaModel"];
            };
        };
        responses: {
            /** @description A stream of events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    postAdminConnectionsIdOllamaRemove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: "environment" | string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OllamaModel"];
            };
        };
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postAdminConnectionsIdTest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: "environment" | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
        };
    };
    getAdminEmbeddings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmbeddingProfilesAnswer"];
                };
            };
        };
    };
    postAdminEmbeddingsIdDrop: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postAdminEnginesTest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EngineTest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EngineTestAnswer"];
                };
            };
        };
    };
    getAdminInvitations: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /** @description Cursor of the next page; absent at the end */
                    "X-Next-Cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"][];
                };
            };
        };
    };
    postAdminInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateInvitation"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    deleteAdminInvitationsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getAdminMcpServers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServersAnswer"];
                };
            };
        };
    };
    postAdminMcpServers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMcpServer"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServer"];
                };
            };
        };
    };
    deleteAdminMcpServersId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchAdminMcpServersId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateMcpServer"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServer"];
                };
            };
        };
    };
    postAdminMcpServersIdTest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServer"];
                };
            };
        };
    };
    getAdminModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocalModelsAnswer"];
                };
            };
        };
    };
    deleteAdminModelsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postAdminModelsIdDownload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocalModel"];
                };
            };
        };
    };
    deleteAdminPersonasId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchAdminPersonasId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdministerPersona"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Persona"];
                };
            };
        };
    };
    getAdminSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminSettingsAnswer"];
                };
            };
        };
    };
    putAdminSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdminSettings"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminSettingsAnswer"];
                };
            };
        };
    };
    getAdminSystem: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemOverview"];
                };
            };
        };
    };
    getAdminUsers: {
        parameters: {
            query?: {
                cursor?: string;
                in?: "accounts" | "trash";
                limit?: number;
                query?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /** @description Cursor of the next page; absent at the end */
                    "X-Next-Cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"][];
                };
            };
        };
    };
    postAdminUsers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateUser"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    putAdminUsersId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateUser"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    deleteAdminUsersId: {
        parameters: {
            query?: {
                now?: "true" | "false";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Confirmation"] | null;
            };
        };
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deleteAdminUsersIdPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Confirmation"] | null;
            };
        };
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postAdminUsersIdRestore: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    getAdminUsersIdSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserSignIn"];
                };
            };
        };
    };
    getAdminUsersIdStorage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageUse"];
                };
            };
        };
    };
    deleteAdminUsersIdTotp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Confirmation"];
            };
        };
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getAdminWatchedFolders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WatchedFoldersAnswer"];
                };
            };
        };
    };
    postAdminWatchedFolders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWatchedFolder"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WatchedFolder"];
                };
            };
        };
    };
    deleteAdminWatchedFoldersId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchAdminWatchedFoldersId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWatchedFolder"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WatchedFolder"];
                };
            };
        };
    };
    getAdminWatchedFoldersIdFiles: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                state?: "kept" | "failed" | "gone";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WatchedFilesAnswer"];
                };
            };
        };
    };
    postAdminWatchedFoldersIdScan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WatchedFolder"];
                };
            };
        };
    };
    getAdminWeb: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebSettings"];
                };
            };
        };
    };
    putAdminWeb: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebSettings"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebSettings"];
                };
            };
        };
    };
    postAdminWebTest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebSettings"];
                };
            };
        };
    };
    postAgentsNameRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentInput"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentAnswer"];
                };
            };
        };
    };
    getAgentsNameRuns: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentRunsAnswer"];
                };
            };
        };
    };
    deleteAgentsNameRuns: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentRunsDeleted"];
                };
            };
        };
    };
    getAgentsAnalytics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentAnalytics"];
                };
            };
        };
    };
    postAgentsAsk: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentInput"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentAskAnswer"];
                };
            };
        };
    };
    getAgentsAvailable: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"][];
                };
            };
        };
    };
    deleteAgentsRunsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getAgentsStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentsStatus"];
                };
            };
        };
    };
    getAnalytics: {
        parameters: {
            query?: {
                period?: "day" | "week" | "month" | "quarter";
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Analytics"];
                };
            };
        };
    };
    getAuthAccess: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessItemsAnswer"];
                };
            };
        };
    };
    postAuthAccessConfirm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmAccess"];
            };
        };
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postAuthAccessEnd: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndAccess"];
            };
        };
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postAuthInvitationsAccept: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptInvitation"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginAnswer"];
                };
            };
        };
    };
    postAuthInvitationsLook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LookAtInvitation"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationLook"];
                };
            };
        };
    };
    postAuthLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["Login"];
                "multipart/form-data": components["schemas"]["Login"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginAnswer"];
                };
            };
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginChallenge"];
                };
            };
        };
    };
    postAuthLogout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getAuthMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    postAuthOidcFinish: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OidcFinish"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginAnswer"];
                };
            };
        };
    };
    postAuthOidcStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OidcStart"];
                };
            };
        };
    };
    getAuthPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"][];
                };
            };
        };
    };
    postAuthPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePasskey"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
        };
    };
    deleteAuthPasskeysId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchAuthPasskeysId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenamePasskey"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
        };
    };
    postAuthPasskeysOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
        };
    };
    postAuthPasskeysRegistration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Confirmation"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
        };
    };
    postAuthPasskeysSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeySignIn"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginAnswer"];
                };
            };
        };
    };
    postAuthPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePassword"];
            };
        };
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getAuthSessions: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /** @description Cursor of the next page; absent at the end */
                    "X-Next-Cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthSession"][];
                };
            };
        };
    };
    deleteAuthSessionsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getAuthTokens: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /** @description Cursor of the next page; absent at the end */
                    "X-Next-Cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiToken"][];
                };
            };
        };
    };
    postAuthTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiToken"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiToken"];
                };
            };
        };
    };
    deleteAuthTokensId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getAuthTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TotpState"];
                };
            };
        };
    };
    postAuthTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Confirmation"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TotpDraft"];
                };
            };
        };
    };
    deleteAuthTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Confirmation"];
            };
        };
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postAuthTotpConfirm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TotpConfirm"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
        };
    };
    postAuthTotpRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Confirmation"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
        };
    };
    postAuthTotpSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TotpSignIn"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginAnswer"];
                };
            };
        };
    };
    getAutomationHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationHealth"];
                };
            };
        };
    };
    getAutomationRuns: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationRunsAnswer"];
                };
            };
        };
    };
    getAutomationRunsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationRunDetail"];
                };
            };
        };
    };
    postAutomationRunsIdCancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getAutomationRunsIdDataset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/jsonl": string;
                };
            };
        };
    };
    postAutomationRunsIdRetry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerAnswer"];
                };
            };
        };
    };
    getAutomationStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationStatusAnswer"];
                };
            };
        };
    };
    getAutomationSummaries: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SummariesAnswer"];
                };
            };
        };
    };
    putAutomationTasksTaskType: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_type: "memory_update" | "classifier_retrain" | "summary_generation" | "model_finetuning";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateTask"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationTask"];
                };
            };
        };
    };
    postAutomationTrigger: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TriggerTask"];
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerAnswer"];
                };
            };
        };
    };
    postChatMessage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatRequest"];
            };
        };
        responses: {
            /** @description A stream of events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    postChatMessagesIdFeedback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Feedback"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatMessage"];
                };
            };
        };
    };
    getChatMessagesIdImagesN: {
        parameters: {
            query?: {
                signature?: string;
                size?: "original" | "preview" | "thumbnail";
            };
            header?: never;
            path: {
                id: string;
                n: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/avif": string;
                    "image/bmp": string;
                    "image/gif": string;
                    "image/heic": string;
                    "image/jpeg": string;
                    "image/jxl": string;
                    "image/png": string;
                    "image/tiff": string;
                    "image/webp": string;
                    "image/x-adobe-dng": string;
                    "image/x-canon-cr2": string;
                    "image/x-canon-cr3": string;
                    "image/x-nikon-nef": string;
                    "image/x-sony-arw": string;
                };
            };
        };
    };
    postChatMessagesIdImagesNKeep: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                n: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaItem"];
                };
            };
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaItem"];
                };
            };
        };
    };
    getChatMessagesIdVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnswerVersions"];
                };
            };
        };
    };
    getChatSessions: {
        parameters: {
            query?: {
                agent?: string;
                archived?: "true" | "false" | "any";
                cursor?: string;
                in?: "library" | "trash";
                limit?: number;
                order?: "asc" | "desc";
                project_id?: string;
                query?: string;
                sort?: "updated" | "name" | "messages" | "tokens" | "response_time";
                status?: "active" | "completed";
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /** @description Cursor of the next page; absent at the end */
                    "X-Next-Cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatSession"][];
                };
            };
        };
    };
    getChatSessionsId: {
        parameters: {
            query?: {
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatSessionDetail"];
                };
            };
        };
    };
    deleteChatSessionsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchChatSessionsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateChatSession"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatSession"];
                };
            };
        };
    };
    postChatSessionsIdCallsCallId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                call_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnswerCall"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatMessage"];
                };
            };
        };
    };
    getChatSessionsIdExport: {
        parameters: {
            query?: {
                format?: "markdown" | "json";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                    "text/markdown": string;
                };
            };
        };
    };
    postChatSessionsIdMessagesMessageIdContinue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                message_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatMessage"];
                };
            };
        };
    };
    postChatSessionsIdRegenerate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Regenerate"];
            };
        };
        responses: {
            /** @description A stream of events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    postChatSessionsIdStop: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getChatSessionsIdStream: {
        parameters: {
            query?: {
                message_id?: string;
            };
            header?: {
                "last-event-id"?: number;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    postChatSessionsChange: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeChatSessions"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Changed"];
                };
            };
        };
    };
    postChatSessionsDelete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteChatSessions"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    postChatSessionsRestore: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteChatSessions"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Changed"];
                };
            };
        };
    };
    postChatSessionsTrash: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteChatSessions"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Changed"];
                };
            };
        };
    };
    getChatStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatStats"];
                };
            };
        };
    };
    getChatTags: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatTags"];
                };
            };
        };
    };
    getConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Config"];
                };
            };
        };
    };
    getDashboardActivity: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityAnswer"];
                };
            };
        };
    };
    getDashboardHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardHealth"];
                };
            };
        };
    };
    getDashboardOverview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    getDocsFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                file: "swagger-ui.css" | "swagger-ui-bundle.js" | "favicon-32x32.png" | "docs-page.js" | "docs-page.css";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                    "text/css": string;
                    "text/javascript": string;
                };
            };
        };
    };
    getEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    postImageEffectsEffectsApply: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @enum {string} */
                    effect_name?: "oil_painting" | "watercolor" | "pencil_sketch" | "colored_pencil" | "charcoal" | "ink" | "pastel" | "stippling" | "mosaic" | "ai_restyle" | "black_and_white" | "sepia" | "vintage" | "film_grain" | "cool" | "warm" | "vivid" | "hdr" | "soft_glow" | "vignette" | "sharpen" | "blur" | "tilt_shift" | "duotone" | "pop_art" | "cartoon" | "comic_halftone" | "pixel_art" | "posterize" | "neon_edges" | "glitch" | "low_poly" | "stained_glass" | "emboss" | "thermal";
                    /** Format: binary */
                    file?: string;
                    frame_number?: number;
                    /** @default 1 */
                    intensity?: number;
                    /** Format: uuid */
                    media_id?: string;
                    prompt?: string;
                    recipe?: string;
                    /** Format: uuid */
                    request_id?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplyAnswer"];
                };
            };
        };
    };
    getImageEffectsEffectsAvailable: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectsAvailable"];
                };
            };
        };
    };
    postImageEffectsEffectsBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    effect_names: ("oil_painting" | "watercolor" | "pencil_sketch" | "colored_pencil" | "charcoal" | "ink" | "pastel" | "stippling" | "mosaic" | "ai_restyle" | "black_and_white" | "sepia" | "vintage" | "film_grain" | "cool" | "warm" | "vivid" | "hdr" | "soft_glow" | "vignette" | "sharpen" | "blur" | "tilt_shift" | "duotone" | "pop_art" | "cartoon" | "comic_halftone" | "pixel_art" | "posterize" | "neon_edges" | "glitch" | "low_poly" | "stained_glass" | "emboss" | "thermal")[];
                    /** Format: binary */
                    file?: string;
                    frame_number?: number;
                    /** @default 1 */
                    intensity?: number;
                    /** Format: uuid */
                    media_id?: string;
                    prompt?: string;
                    /** Format: uuid */
                    request_id?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchAnswer"];
                };
            };
        };
    };
    getImageEffectsEffectsDownloadDownloadId: {
        parameters: {
            query?: {
                format?: "png" | "webp" | "jpeg" | "avif";
                signature?: string;
                size?: "original" | "preview" | "thumbnail";
            };
            header?: never;
            path: {
                download_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/avif": string;
                    "image/jpeg": string;
                    "image/png": string;
                    "image/webp": string;
                };
            };
        };
    };
    getImageEffectsEffectsGallery: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectsGallery"];
                };
            };
        };
    };
    deleteImageEffectsEffectsGalleryDownloadId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                download_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postImageEffectsEffectsGalleryDownloadIdKeep: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                download_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaItem"];
                };
            };
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaItem"];
                };
            };
        };
    };
    postImageEffectsEffectsPreviews: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file?: string;
                    frame_number?: number;
                    /** @default 1 */
                    intensity?: number;
                    /** Format: uuid */
                    media_id?: string;
                    /** Format: uuid */
                    request_id?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreviewsAnswer"];
                };
            };
        };
    };
    getImageEffectsRecipes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recipes"];
                };
            };
        };
    };
    postImageEffectsRecipes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRecipe"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recipe"];
                };
            };
        };
    };
    deleteImageEffectsRecipesId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getImports: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportsAnswer"];
                };
            };
        };
    };
    postImports: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportServer"];
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                    preview?: string;
                    /** @enum {string} */
                    source: "mira" | "chatgpt" | "claude" | "open-webui" | "librechat" | "takeout" | "apple" | "files";
                };
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
        };
    };
    getImportsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
        };
    };
    deleteImportsId: {
        parameters: {
            query?: {
                wait?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postImportsIdSource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportSource"];
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
        };
    };
    postImportsIdStart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
        };
    };
    deleteMeData: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteData"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedData"];
                };
            };
        };
    };
    getMeExport: {
        parameters: {
            query?: {
                export_id?: string;
                signature?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": string;
                };
            };
        };
    };
    postMeExport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportTicket"];
                };
            };
        };
    };
    getMeFacts: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                query?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FactsAnswer"];
                };
            };
        };
    };
    postMeFacts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateFact"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fact"];
                };
            };
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fact"];
                };
            };
        };
    };
    deleteMeFactsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchMeFactsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateFact"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fact"];
                };
            };
        };
    };
    getMeHooks: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HooksAnswer"];
                };
            };
        };
    };
    postMeHooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateHook"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedHook"];
                };
            };
        };
    };
    deleteMeHooksId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getMeHooksIdDeliveries: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookDeliveriesAnswer"];
                };
            };
        };
    };
    postMeHooksIdTest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookDelivery"];
                };
            };
        };
    };
    getMeInstructions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Instructions"];
                };
            };
        };
    };
    patchMeInstructions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateInstructions"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Instructions"];
                };
            };
        };
    };
    getMeMcpServers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnMcpServersAnswer"];
                };
            };
        };
    };
    postMeMcpServers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOwnMcpServer"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServer"];
                };
            };
        };
    };
    deleteMeMcpServersId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchMeMcpServersId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateOwnMcpServer"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServer"];
                };
            };
        };
    };
    postMeMcpServersIdTest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServer"];
                };
            };
        };
    };
    getMePreferences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preferences"];
                };
            };
        };
    };
    patchMePreferences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdatePreferences"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preferences"];
                };
            };
        };
    };
    getMePrograms: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProgramsAnswer"];
                };
            };
        };
    };
    deleteMeProgramsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getMeStorage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageUse"];
                };
            };
        };
    };
    getMeSummaries: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SummariesAnswer"];
                };
            };
        };
    };
    getMediaId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaDetail"];
                };
            };
        };
    };
    deleteMediaId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchMediaId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MediaChanges"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaItem"];
                };
            };
        };
    };
    getMediaIdFile: {
        parameters: {
            query?: {
                signature?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    getMediaIdFilm: {
        parameters: {
            query?: {
                signature?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "video/mp4": string;
                    "video/quicktime": string;
                };
            };
        };
    };
    getMediaIdFramesN: {
        parameters: {
            query?: {
                signature?: string;
            };
            header?: never;
            path: {
                id: string;
                n: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/webp": string;
                };
            };
        };
    };
    getMediaIdMotion: {
        parameters: {
            query?: {
                signature?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "video/mp4": string;
                    "video/quicktime": string;
                };
            };
        };
    };
    getMediaIdPagesN: {
        parameters: {
            query?: {
                signature?: string;
            };
            header?: never;
            path: {
                id: string;
                n: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/webp": string;
                };
            };
        };
    };
    getMediaIdPreview: {
        parameters: {
            query?: {
                signature?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "audio/mpeg": string;
                    "image/jpeg": string;
                    "image/webp": string;
                    "video/mp4": string;
                    "video/webm": string;
                };
            };
        };
    };
    postMediaIdReprocess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reprocess"];
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaItem"];
                };
            };
        };
    };
    getMediaIdThumbnail: {
        parameters: {
            query?: {
                signature?: string;
                size?: "small";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/webp": string;
                };
            };
        };
    };
    getMediaArchive: {
        parameters: {
            query: {
                items: string;
                signature?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": string;
                };
            };
        };
    };
    postMediaArchive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MediaArchiveRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaArchive"];
                };
            };
        };
    };
    postMediaChanges: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ManyMediaChanges"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedCount"];
                };
            };
        };
    };
    postMediaDelete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MediaIds"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    postMediaKnown: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KnownQuestion"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnownAnswer"];
                };
            };
        };
    };
    getMediaLibrary: {
        parameters: {
            query?: {
                cursor?: string;
                in?: "library" | "trash";
                limit?: number;
                media_type?: "image" | "video" | "audio" | "document";
                query?: string;
                sort?: "newest" | "oldest" | "taken" | "name" | "largest" | "longest";
                status?: "pending" | "processing" | "completed" | "failed";
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Library"];
                };
            };
        };
    };
    getMediaReprocess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImproveAnswer"];
                };
            };
        };
    };
    postMediaReprocess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Improve"];
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImproveAnswer"];
                };
            };
        };
    };
    postMediaRestore: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MediaIds"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedCount"];
                };
            };
        };
    };
    getMediaSearch: {
        parameters: {
            query: {
                exact?: string;
                from?: string;
                include_frames?: string;
                limit?: number;
                literal?: string[];
                media_types?: ("image" | "video" | "audio" | "document")[];
                query: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchAnswer"];
                };
            };
        };
    };
    getMediaStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaStats"];
                };
            };
        };
    };
    getMediaTags: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaTags"];
                };
            };
        };
    };
    postMediaTags: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MediaTagChanges"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedCount"];
                };
            };
        };
    };
    postMediaTrash: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MediaIds"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedCount"];
                };
            };
        };
    };
    postMediaUpload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    extract_text?: string;
                    /** Format: binary */
                    file: string;
                    generate_caption?: string;
                    keep_place?: string;
                    /** @default 60 */
                    wait?: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaItem"];
                };
            };
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaItem"];
                };
            };
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaItem"];
                };
            };
        };
    };
    getMediaUploads: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartialUploads"];
                };
            };
        };
    };
    postMediaUploads: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            201: {
                headers: {
                    /** @description Where the parts go, relative to this address. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getMediaUploadsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartialUploadState"];
                };
            };
        };
    };
    deleteMediaUploadsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchMediaUploadsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    /** @description How many bytes have arrived. */
                    "Upload-Offset"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getMemoryLogs: {
        parameters: {
            query?: {
                content_type?: "conversation" | "image" | "video" | "audio" | "document" | "search" | "calculation" | "all";
                cursor?: string;
                from?: string;
                limit?: number;
                query?: string;
                range?: "today" | "week" | "month" | "all";
                sentiment?: "positive" | "neutral" | "negative" | "all";
                to?: string;
                type?: "chat" | "media" | "memory_search" | "agent" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryLogsAnswer"];
                };
            };
        };
    };
    getMemoryLogsExport: {
        parameters: {
            query?: {
                content_type?: "conversation" | "image" | "video" | "audio" | "document" | "search" | "calculation" | "all";
                from?: string;
                query?: string;
                range?: "today" | "week" | "month" | "all";
                sentiment?: "positive" | "neutral" | "negative" | "all";
                to?: string;
                type?: "chat" | "media" | "memory_search" | "agent" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    postMemoryOpened: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResultOpened"];
            };
        };
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatModel"][];
                };
            };
        };
    };
    postNotes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateNote"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaItem"];
                };
            };
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaItem"];
                };
            };
        };
    };
    getNotesId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Note"];
                };
            };
        };
    };
    patchNotesId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NoteChanges"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaItem"];
                };
            };
        };
    };
    getNotifications: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                unread?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsAnswer"];
                };
            };
        };
    };
    postNotificationsRead: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationsRead"];
            };
        };
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postNotificationsShown: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationsShown"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsShownAnswer"];
                };
            };
        };
    };
    getOauthConsent: {
        parameters: {
            query?: {
                client_id?: string;
                code_challenge?: string;
                code_challenge_method?: string;
                redirect_uri?: string;
                resource?: string;
                response_type?: string;
                scope?: string;
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsentQuestion"];
                };
            };
        };
    };
    postOauthConsent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Consent"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsentAnswer"];
                };
            };
        };
    };
    getOpenapiJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    postPages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePage"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaItem"];
                };
            };
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaItem"];
                };
            };
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaItem"];
                };
            };
        };
    };
    getPersonas: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonasAnswer"];
                };
            };
        };
    };
    postPersonas: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePersona"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Persona"];
                };
            };
        };
    };
    deletePersonasId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchPersonasId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdatePersona"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Persona"];
                };
            };
        };
    };
    getPersonasTools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonaTools"];
                };
            };
        };
    };
    getProjects: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectsAnswer"];
                };
            };
        };
    };
    postProjects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateProject"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    deleteProjectsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchProjectsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateProject"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    getPrompts: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptsAnswer"];
                };
            };
        };
    };
    postPrompts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePrompt"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Prompt"];
                };
            };
        };
    };
    deletePromptsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchPromptsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdatePrompt"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Prompt"];
                };
            };
        };
    };
    getPublicSharesToken: {
        parameters: {
            query?: {
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicShare"];
                };
            };
        };
    };
    postPublicSharesTokenContinue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContinuedShare"];
                };
            };
        };
    };
    getPublicSharesTokenImagesIdN: {
        parameters: {
            query?: {
                size?: "original" | "preview" | "thumbnail";
            };
            header?: never;
            path: {
                id: string;
                n: number;
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/avif": string;
                    "image/bmp": string;
                    "image/gif": string;
                    "image/heic": string;
                    "image/jpeg": string;
                    "image/jxl": string;
                    "image/png": string;
                    "image/tiff": string;
                    "image/webp": string;
                    "image/x-adobe-dng": string;
                    "image/x-canon-cr2": string;
                    "image/x-canon-cr3": string;
                    "image/x-nikon-nef": string;
                    "image/x-sony-arw": string;
                };
            };
        };
    };
    getPushKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushKey"];
                };
            };
        };
    };
    postPushSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePushSubscription"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscription"];
                };
            };
        };
    };
    deletePushSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RemovePushSubscription"];
            };
        };
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getReminders: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                state?: "active" | "completed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemindersAnswer"];
                };
            };
        };
    };
    postReminders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateReminder"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reminder"];
                };
            };
        };
    };
    deleteRemindersId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    patchRemindersId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateReminder"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reminder"];
                };
            };
        };
    };
    postRemindersIdComplete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reminder"];
                };
            };
        };
    };
    postRemindersIdSnooze: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SnoozeReminder"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reminder"];
                };
            };
        };
    };
    getShares: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                subject_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharesAnswer"];
                };
            };
        };
    };
    postShares: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateShare"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Share"];
                };
            };
        };
    };
    deleteSharesId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing is sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postVoiceSpeak: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Speak"];
            };
        };
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "audio/flac": string;
                    "audio/mpeg": string;
                    "audio/ogg": string;
                    "audio/wav": string;
                };
            };
        };
    };
    postVoiceTranscribe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                    language?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transcript"];
                };
            };
        };
    };
    getWeb: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebState"];
                };
            };
        };
    };
}
