// Draws the OpenAPI document with Swagger UI, whose bundle the page has loaded before (window.SwaggerUIBundle).
// Expects <main id="documentation" data-document="address of openapi.json">.

const place = document.getElementById("documentation");

window.SwaggerUIBundle({
  url: place.dataset.document,
  domNode: place,
  deepLinking: true,
  // Nothing is sent to a validator elsewhere.
  validatorUrl: null,
});
