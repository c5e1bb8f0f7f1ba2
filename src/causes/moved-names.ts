/** Modules and names with the versions of their package that have them, from its release notes. */
const names = `
bcrypt.__about__<4.1 click._unicodefun<8.1 flask._app_ctx_stack<2.3 flask._request_ctx_stack<2.3 flask.escape<3
flask.Flask.before_first_request<2.3 flask.helpers.safe_join<2.1 flask.json.JSONEncoder<2.3 flask.Markup<3
flask.safe_join<2.1 google.protobuf.internal.builder>=3.20 google.protobuf.MessageFactory.GetPrototype<6
google.protobuf.MessageToDict.including_default_value_fields<5
google.protobuf.MessageToJson.including_default_value_fields<5 google.protobuf.runtime_version>=5.26 gradio.inputs<4
gradio.outputs<4 huggingface_hub.cached_download<0.26 huggingface_hub.HfFolder<1 huggingface_hub.Repository<1
huggingface_hub.split_torch_state_dict_into_shards>=0.22 huggingface_hub.utils._errors<0.25 itsdangerous.json<2.1
itsdangerous.JSONWebSignatureSerializer<2.1 itsdangerous.TimedJSONWebSignatureSerializer<2.1 jax.linear_util<0.4.24
jax.random.KeyArray<0.4.24 jinja2.contextfilter<3.1 jinja2.environmentfilter<3.1 jinja2.escape<3.1
jinja2.evalcontextfilter<3.1 jinja2.Markup<3.1 langchain.callbacks<1 langchain.chains<1 langchain.chat_models<0.2
langchain.docstore<1 langchain.document_loaders<0.2 langchain.embeddings<0.2 langchain.llms<0.2 langchain.memory<1
langchain.prompts<1 langchain.retrievers<1 langchain.schema<1 langchain.text_splitter<1 langchain.vectorstores<0.2
langchain_core.pydantic_v1<1 markupsafe.soft_unicode<2.1 moviepy.editor<2 numpy.bool<1.24 numpy.complex<1.24
numpy.exceptions>=1.25 numpy.float<1.24 numpy.float_<2 numpy.Inf<2 numpy.int<1.24 numpy.long<1.24 numpy.NaN<2
numpy.object<1.24 numpy.product<2 numpy.str<1.24 numpy.string_<2 numpy.unicode_<2 openai.AsyncOpenAI>=1
openai.ChatCompletion<1 openai.Completion<1 openai.Embedding<1 openai.embeddings_utils<1 openai.error<1
openai.OpenAI>=1 packaging.licenses>=24.2 pandas.core.indexes.numeric<2 pandas.DataFrame.append<2
pandas.DataFrame.iteritems<2 pandas.Float64Index<2 pandas.Int64Index<2 pandas.Panel<1 pandas.Series.append<2
pandas.Series.iteritems<2 PIL.FreeTypeFont.getsize<10 PIL.Image.ANTIALIAS<10 PIL.Image.CUBIC<10 PIL.Image.LINEAR<10
PIL.ImageDraw.textsize<10 pinecone.init<3 pkg_resources<82 pydantic.BaseSettings<2 pydantic.computed_field>=2 pydantic.ConfigDict>=2 pydantic.field_validator>=2
pydantic.model_validator>=2 pydantic.RootModel>=2 pydantic.TypeAdapter>=2 pydantic_core>=2
pytorch_lightning.metrics<1.5 pytorch_lightning.utilities.distributed<2 scipy.integrate.cumtrapz<1.14
scipy.integrate.simps<1.14 scipy.integrate.trapz<1.14 scipy.linalg.tril<1.13 scipy.linalg.triu<1.13
scipy.misc.imread<1.2 scipy.misc.imresize<1.3 scipy.misc.imsave<1.2 scipy.signal.hann<1.13 setuptools.command.test<72
sklearn.cross_validation<0.20 sklearn.datasets.load_boston<1.2 sklearn.externals<0.23 sklearn.grid_search<0.20
sklearn.preprocessing.Imputer<0.22 sklearn.utils.testing<0.24 sqlalchemy.Engine.execute<2 sqlalchemy.orm.DeclarativeBase>=2 sqlalchemy.orm.Mapped>=2 sqlalchemy.orm.mapped_column>=2 tensorflow.ConfigProto<2
tensorflow.contrib<2 tensorflow.get_default_graph<2 tensorflow.GraphKeys<2 tensorflow.keras.wrappers<2.12
tensorflow.placeholder<2 tensorflow.Session<2 torch._six<2 torch.library.custom_op>=2.4 torchaudio.AudioMetaData<2.9
torchaudio.list_audio_backends<2.9 torchaudio.set_audio_backend<2.9 torchtext.data.Field<0.9 torchtext.legacy<0.12
torchvision.transforms.functional_tensor<0.17 transformers.models.llama.modeling_llama.LlamaFlashAttention2<4.48
typing_extensions.deprecated>=4.5 typing_extensions.override>=4.4 typing_extensions.Sentinel>=4.14
typing_extensions.TypeAliasType>=4.6 urllib3.contrib.appengine<2 urllib3.packages.six<2
urllib3.util.ssl_.DEFAULT_CIPHERS<2 werkzeug.contrib<1 werkzeug.FileStorage<1 werkzeug.secure_filename<1
werkzeug.security.safe_str_cmp<2.1 werkzeug.urls.url_decode<3 werkzeug.urls.url_encode<3 werkzeug.urls.url_parse<3
werkzeug.urls.url_quote<3 werkzeug.urls.url_quote_plus<3 werkzeug.urls.url_unquote<3 werkzeug.wrappers.BaseRequest<2.1
werkzeug.wrappers.BaseResponse<2.1
`;

/** `<0.26` for `huggingface_hub.cached_download`, and for what is in it; undefined if it is not known. */
export function versionsWith(name: string): string | undefined {
  const parts = name.split('.');
  for (let length = 1; length <= parts.length; length++) {
    const bound = bounds().get(parts.slice(0, length).join('.'));
    if (bound !== undefined) return bound;
  }
  return undefined;
}

let parsed: ReadonlyMap<string, string> | undefined;

function bounds(): ReadonlyMap<string, string> {
  parsed ??= new Map(
    names
      .trim()
      .split(/\s+/)
      .map((entry): [string, string] => {
        const at = entry.search(/[<>]/);
        return [entry.slice(0, at), entry.slice(at)];
      }),
  );
  return parsed;
}

/** `pandas.DataFrame` for what its instances have in some versions; undefined if it is not known. */
export function moduleOf(object: string, name: string): string | undefined {
  const entry = names.split(/\s+/).find((each) => each.replace(/[<>].*$/, '').endsWith(`.${object}.${name}`));
  return entry?.slice(0, entry.indexOf(`.${name}`));
}
