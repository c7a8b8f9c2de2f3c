/* Adds a passkey, or signs in by one. Expects: <form data-passkey="create" or "get" hidden> with the options as
   data-options, or at its address, and in it <input type="hidden" name="credential"> and a hidden [role=alert]. */

async function optionsOf(form) {
  if (form.dataset.options) return JSON.parse(form.dataset.options).publicKey;
  const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
  return (await answer.json()).request_options.publicKey;
}

async function credentialFor(form) {
  const options = await optionsOf(form);
  if (form.dataset.passkey === "get") {
    return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  }
  // Kept on the device and unlocked by its owner: only then does it sign in alone.
  options.authenticatorSelection = {
    ...options.authenticatorSelection, residentKey: "required", requireResidentKey: true, userVerification: "required",
  };
  return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
}

for (const form of document.querySelectorAll("[data-passkey]")) {
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) continue; // an older browser, or no TLS
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      form.elements.credential.value = JSON.stringify(await credentialFor(form));
      form.submit();
    } catch {
      form.querySelector("[role=alert][hidden]")?.removeAttribute("hidden");
    }
  });
}
